// The files of erased resumes, where a command and the service do not share a folder. They share a database: PostgreSQL.
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { erasePerson } from "../../../server/src/desk/erase.ts";
import { mailEraser } from "../../../server/src/mail/transports.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { StorageUnavailable } from "../../../server/src/storage/store.ts";
import { applicant, form, pdf, rest } from "../../support/doors.ts";
import { openFolder } from "../../support/folder.ts";
import { createDatabase } from "../../support/service-database.ts";
import { startService, type Service } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { runCommand } from "../../support/desk/run-command.ts";

const database = shared(() => createDatabase());
const home = shared(openFolder);
const elsewhere = shared(openFolder);

const serve = () => startService({ env: { DATA_DIR: home().path, DATABASE_URL: database().url } });
const files = async () =>
  (await readdir(join(home().path, "resumes"), { recursive: true })).filter((name) => /\/[0-9a-f]{32}$/.test(name));
const erase = ({ path }: { readonly path: string }) =>
  runCommand(["erase", applicant.email, "--yes"], { DATA_DIR: path, DATABASE_URL: database().url });

async function keysLeft(): Promise<number> {
  await using store = await openStore({ kind: "postgres", url: database().url, poolMax: 1 });
  return (await store.desk.resumesToDiscard(10, [])).length;
}

async function apply(service: Service): Promise<void> {
  // The first round of housekeeping pairs the folder with the database.
  await expect.poll(() => readdir(join(home().path, "resumes/.identity"))).toHaveLength(1);
  const answer = await rest.send(service, "applications.submit", form({ ...applicant, resumeFile: pdf("cv.pdf") }));
  expect(answer.status).toBe(200);
}

test("a command with another folder leaves the files to the service, and says so", async () => {
  {
    await using service = await serve();
    await apply(service);
    const { code, stderr } = await erase(elsewhere());
    expect([code, stderr]).toEqual([
      0,
      `Erased: 1 submission, 1 resume, 0 subscriptions.
The files of erased resumes cannot be reached from here. The service discards them within the hour.
`,
    ]);
    expect([await files(), await keysLeft()]).toEqual([[expect.any(String)], 1]);
  }
  // Its next round, which is its first one here.
  await using _service = await serve();
  await expect.poll(async () => [await files(), await keysLeft()]).toEqual([[], 0]);
});

test("an erasure that loses the database behind its rows leaves no mail on this machine: it cannot be repeated", async () => {
  await using service = await serve();
  await apply(service);
  const mailbox = join(home().path, "mailbox");
  await expect.poll(() => readdir(mailbox)).not.toEqual([]);
  await using store = await openStore({ kind: "postgres", url: database().url, poolMax: 1 });
  const losing: typeof store.desk.erasePerson = async (...about) => {
    await store.desk.erasePerson(...about);
    throw new StorageUnavailable("The connection was lost while committing.", { outcome: "unknown" });
  };
  const places = {
    store: { ...store, desk: { ...store.desk, erasePerson: losing } },
    vault: { belongsTo: async () => false, discard: async () => {} },
    eraseMails: mailEraser({ kind: "mailbox", folder: mailbox }),
  };
  const actor = { operator: "eva", at: Date.now() };
  await expect(erasePerson(places, applicant.email, actor)).rejects.toThrow("lost while committing");
  for (const name of await readdir(mailbox)) {
    expect(await readFile(join(mailbox, name), "latin1")).not.toContain(applicant.email);
  }
});

test("a command with the service's folder discards the files at once", async () => {
  await using service = await serve();
  await apply(service);
  const { code, stderr } = await erase(home());
  expect([code, stderr]).toEqual([0, "Erased: 1 submission, 1 resume, 0 subscriptions.\n"]);
  expect([await files(), await keysLeft()]).toEqual([[], 0]);
});

test("a file that cannot be discarded keeps no other from it, and is tried again", async () => {
  await using service = await serve();
  await apply(service);
  await apply(service);
  const [stuck = "", other = ""] = (await files()).toSorted();
  // Nothing that can be removed like a file.
  const path = join(home().path, "resumes", stuck);
  await rm(path);
  await mkdir(path);
  const { code, stderr } = await erase(home());
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^Erased: 2 submissions, 2 resumes, 0 subscriptions\.\nThe files/),
  ]);
  expect([await files(), await keysLeft()]).toEqual([[stuck], 1]);
  expect(other).not.toBe("");
  await rm(path, { recursive: true });
  await erase(home());
  expect([await files(), await keysLeft()]).toEqual([[], 0]);
});
