// The service for its developers, `npm run dev`: a data folder of its own, filled through the real doors when it is empty.
// Configuration and composition are those of main.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { startApp, type App } from "./app.ts";
import type { Config } from "./config/config.ts";
import { configExitCode, loadConfig, readEnvironment, reportMisspellings, reportProblems } from "./config/load.ts";
import { devOperator } from "./dev-operator.ts";
import { createLog } from "./observe/log.ts";
import { openStore } from "./storage/open-store.ts";
import { whatToOpen } from "./what-to-open.ts";

async function main(): Promise<void> {
  const environment = readEnvironment();
  process.stderr.write(reportMisspellings(environment));
  const loaded = loadConfig({ ...environment, DATA_DIR: environment["DATA_DIR"]?.trim() || "./data/dev" });
  if (!loaded.ok) {
    process.stderr.write(reportProblems(loaded.problems));
    process.exit(configExitCode);
  }
  const { config } = loaded;
  const app = await startApp({ config, log: createLog(config.log.level) });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void end(app));
  // The addresses are made up, so no provider may get mail for them.
  if (config.mail.kind === "mailbox" && (await isEmpty(config))) await seed(app.address);
  process.stdout.write(whatToOpen(app.address, config, await signInOf(config)));
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

async function isEmpty({ storage }: Config): Promise<boolean> {
  await using store = await openStore(storage, { access: "read-only" });
  // Every submission has mails.
  return (await store.listMails({ limit: 1 })).length === 0;
}

async function seed(url: string): Promise<void> {
  const inquiry = { company: "Harbour Speech Labs", selectedPackageIds: ["en-GB-scottish", "de-AT"] };
  await send(`${url}/api/marketplace/inquiry`, { ...inquiry, name: "Ann Buyer", email: "ann@example.org" });
  await send(`${url}/trpc/marketplace.inquiry`, { ...inquiry, name: "Jörg Öhler", email: "joerg@example.com" });
  await send(`${url}/api/newsletter/subscribe`, { email: "reader@example.org", source: "/blog/accents" });
  await send(`${url}/trpc/newsletter.subscribe`, { email: "second.reader@example.net", source: "footer" });

  const application = { fullName: "Ana Souza", email: "ana@example.org", position: "Accent annotator" };
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...application, accent: "pt-BR (Recife)", phone: "+55 81 5550 0100" })) {
    form.set(name, value);
  }
  form.set("coverLetter", "Dear team,\n\nI have labelled Portuguese speech for six years.\n\nAna");
  form.set("resumeFile", new File([onePagePdf("Ana Souza: curriculum vitae")], "Ana Souza CV.pdf"));
  await send(`${url}/api/applications/submit`, form);
  await send(`${url}/api/applications/submit`, { ...application, fullName: "Bo Li", email: "bo@example.org" });
}

async function send(url: string, body: FormData | Readonly<Record<string, unknown>>): Promise<void> {
  const init =
    body instanceof FormData
      ? { body }
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await fetch(url, { method: "POST", ...init });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
}

/** A whole PDF, offsets and all, so that viewers open it without repairing it. The text must be plain ASCII. */
function onePagePdf(text: string): string {
  const stream = `BT /F1 18 Tf 72 720 Td (${text}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let pdf = "%PDF-1.4\n";
  let table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  for (const [position, object] of objects.entries()) {
    table += `${String(pdf.length).padStart(10, "0")} 00000 n \n`;
    pdf += `${position + 1} 0 obj\n${object}\nendobj\n`;
  }
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${pdf.length}\n%%EOF\n`;
  return pdf + table + trailer;
}

await main();
