// The service for its developers, `npm run dev`: a data folder of its own, filled when it is new.
// Configuration and composition are those of server/src/main.ts.
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { startApp, type App } from "../src/app.ts";
import { systemClock } from "../src/clock.ts";
import type { Config } from "../src/config/config.ts";
import { readEnvironment, reportMisspellings } from "../src/config/load.ts";
import { serveMailbox } from "./mailbox.ts";
import { devOperator } from "./operator.ts";
import { createLog } from "../src/observe/log.ts";
import { openVault } from "../src/resumes/open-vault.ts";
import { stage } from "../src/resumes/staging.ts";
import { onePagePdf } from "./seed/made-up.ts";
import { seedStore } from "./seed/seed.ts";
import { configOrExit, whatToOpen, whyNotStarted } from "../src/start-up.ts";
import { openStore } from "../src/storage/open-store.ts";

async function main(): Promise<void> {
  const environment = readEnvironment();
  process.stderr.write(reportMisspellings(environment));
  const config = configOrExit({ ...environment, DATA_DIR: environment["DATA_DIR"]?.trim() || "./data/dev" });
  // The addresses are made up, so no provider may get mail for them.
  const isNew = config.mail.kind === "mailbox" && config.storage.kind === "sqlite" && !existsSync(config.storage.file);
  if (isNew) await seedMonth(config);
  const signIn = await signInOf(config);
  const log = createLog(config.log.level);
  const app = await startApp({ config, log }).catch((error: unknown) => {
    const reason = whyNotStarted(error, config);
    if (reason === null) throw error;
    process.stderr.write(`The service could not start: ${reason}\n`);
    process.exit(1);
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void end(app));
  if (isNew) await seed(app.address);
  const { mail, listen } = config;
  const mailbox = mail.kind === "mailbox" ? (await serveMailbox(mail.folder, listen.port + 1)).address : undefined;
  // The lines of the log are gathered; these should be the last ones.
  await log.flush();
  process.stdout.write(whatToOpen(app.address, config, { signIn, mailbox }));
}

// Not in a PostgreSQL database, which may be a real one.
async function signInOf(config: Config): Promise<string | null> {
  if (config.storage.kind !== "sqlite") return null;
  await using store = await openStore(config.storage);
  const operator = await devOperator(store, config.dataFolder);
  return operator && `${operator.email}, password ${operator.password}`;
}

async function end(app: App): Promise<void> {
  // A restart should not wait for the browser's open connections.
  await Promise.race([app.close(), sleep(2_000)]);
  process.exit(0);
}

/** Makes up a month, with resumes that can be opened. */
async function seedMonth({ storage, vault: place }: Config): Promise<void> {
  await using vault = await openVault(place, systemClock);
  const keepResume = async (name: string) => {
    const bytes = Buffer.from(onePagePdf(`${asciiOf(name).trim()} Curriculum vitae`.trim()));
    const staged = await stage(Readable.from([bytes]), join(vault.stagingFolder, randomUUID()));
    return { ...staged, key: await vault.keep(staged) };
  };
  await seedStore(storage, { count: 300, days: 30, now: Date.now(), keepResume });
}

const asciiOf = (name: string): string => name.normalize("NFD").replaceAll(/[^ -~]|[()\\]/g, "");

/** One of each kind, so that the mailbox is not empty. */
async function seed(url: string): Promise<void> {
  const inquiry = { name: "Ann Buyer", email: "ann@example.org", selectedPackageIds: ["en-GB-scottish", "de-AT"] };
  await send(`${url}/api/marketplace/inquiry`, inquiry);
  await send(`${url}/api/newsletter/subscribe`, { email: "reader@example.org", source: "/blog/accents" });
  const application = { fullName: "Ana Souza", email: "ana@example.org", position: "Accent annotator" };
  await send(`${url}/api/applications/submit`, application);
}

async function send(url: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
}

await main();
