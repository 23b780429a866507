// A database that takes no writes, because its disk is full or it was made read-only: its data is got out all the same.
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore, type StoreLocation } from "../../../server/src/storage/open-store.ts";
import { accept, inquiry } from "../../contract/records.ts";
import { runCommand } from "../../support/desk/run-command.ts";
import { finish, start } from "../../support/program.ts";
import { createDatabase } from "../../support/service-database.ts";
import { someOf } from "../../support/many-or-few.ts";

let ground: string;
beforeAll(async () => {
  ground = await mkdtemp(join(tmpdir(), "unwritable-"));
});
afterAll(() => rm(ground, { recursive: true }));

async function fill(location: StoreLocation): Promise<void> {
  await using store = await openStore(location);
  for (const number of [1, 2, 3]) await accept(store, inquiry(number));
}

/** What opens a store with three inquiries that takes no writes until it is disposed of. */
const stores = {
  async SQLite() {
    const folder = await mkdtemp(join(ground, "data-"));
    const file = join(folder, "submissions.sqlite");
    await fill({ kind: "sqlite", file });
    // Another process that writes on and on is one way. It leaves readers alone, as a full disk does.
    const writer = new DatabaseSync(file);
    writer.exec("BEGIN IMMEDIATE");
    const env = { DATA_DIR: folder, DATABASE_URL: "" };
    return { env, reason: /locked|busy/, [Symbol.asyncDispose]: async () => writer.close() };
  },
  async PostgreSQL() {
    const database = await createDatabase();
    await fill({ kind: "postgres", url: database.url, poolMax: 1 });
    await database.set("SET default_transaction_read_only = on");
    const env = { DATA_DIR: await mkdtemp(join(ground, "data-")), DATABASE_URL: database.url };
    return { env, reason: /read-only/, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
  },
};

describe.each(someOf(["SQLite", "PostgreSQL"] as const))("%s", (engine) => {
  test("an export writes everything, and says that it is not in the audit log", async () => {
    await using store = await stores[engine]();
    for (const words of [["inquiries"], ["person", "ann-1@example.org"]]) {
      const { code, stdout, stderr } = await runCommand(["export", ...words], store.env);
      // Three inquiries, or one with its two mails.
      expect([code, stdout.match(/INQ-/g)?.length]).toEqual([0, 3]);
      expect(stderr).toMatch(/^Not in the audit log: The database is .*$/m);
      expect(stderr).toMatch(store.reason);
    }
  });

  test("a backup is whole, ends with 0, and forgets the old ones", async () => {
    await using store = await stores[engine]();
    const place = await mkdtemp(join(ground, "backups-"));
    for (const _night of [1, 2]) {
      const { code, stderr } = await runCommand(["backup", place, "--keep", "1"], store.env);
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/^Not in the audit log: .*\nThe backup .* is whole\.$/m),
      ]);
    }
    expect(await readdir(place)).toHaveLength(1);
    const restored = { DATA_DIR: await mkdtemp(join(ground, "data-")), DATABASE_URL: "" };
    expect(await runCommand(["restore", place], restored)).toMatchObject({ code: 0 });
    expect((await runCommand(["export", "inquiries"], restored)).stdout.match(/INQ-/g)).toHaveLength(3);
  });

  test("doctor says so, and tries the rest", async () => {
    await using store = await stores[engine]();
    const { code, stdout } = await runCommand(["doctor"], store.env);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^failed +database: takes no writes: The database /m)]);
    expect(stdout).toMatch(store.reason);
    expect(stdout).toMatch(/^attention +backup: no whole one was ever made$/m);
  });
});

// To the command a disk that takes nothing more: no file may grow.
const full = ["prlimit", "--fsize=0"];

describe.runIf(spawnSync("prlimit", ["--version"]).status === 0)("a full disk", () => {
  test.each(someOf(["runs", "does not run"]))(
    "costs an export nothing but its entry, where a service %s",
    async (service) => {
      const folder = await mkdtemp(join(ground, "data-"));
      const file = join(folder, "submissions.sqlite");
      await fill({ kind: "sqlite", file });
      // A service holds the log open, which a command cannot make.
      await using _service = service === "runs" ? await openStore({ kind: "sqlite", file }) : null;
      const run = (...words: string[]) =>
        finish(start("submissions.ts", words, { DATA_DIR: folder }, { through: full }));
      for (const _time of [1, 2]) {
        const { code, stdout, stderr } = await run("export", "inquiries");
        expect([code, stdout.match(/INQ-/g)?.length]).toEqual([0, 3]);
        expect(stderr).toMatch(
          /^Not in the audit log: The database is (?:out of disk space|failing to read or write its disk)/,
        );
      }
      expect((await run("doctor")).stdout).toMatch(/^failed +database: .*The database is /im);
    },
  );
});
