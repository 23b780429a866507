// What every vault promises, as the port says it. An engine's own test file runs this and adds what is its own.
import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Clock } from "../../server/src/clock.ts";
import { ResumeMissing, type StagedFile, type Vault, VaultUnavailable } from "../../server/src/resumes/vault.ts";

const hourMs = 3_600_000;

/** A clock that only tests move. Starts at the true time, because file systems and stores have a clock of their own. */
export class MovedClock implements Clock {
  #now = Date.now();
  now(): number {
    return this.#now;
  }
  advance(ms: number): void {
    this.#now += ms;
  }
}

/** Writes a staged file as the form reader does. */
export const stage = async (vault: Vault, content: string | Buffer = randomBytes(64)): Promise<StagedFile> => {
  const bytes = Buffer.from(content);
  const path = join(vault.stagingFolder, randomBytes(8).toString("hex"));
  await writeFile(path, bytes, { mode: 0o600 });
  return { path, size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
};

const knowing =
  (...keys: string[]) =>
  () =>
    Promise.resolve(new Set(keys));
const unknowing = () => Promise.reject(new Error("the database is away"));

interface EngineUnderTest {
  /** Makes an empty vault, whose files age by this clock; it is disposed of after each test. */
  readonly open: (clock: Clock) => Promise<Vault>;
  /** So many files that the engine has to list them in several pages. */
  readonly manyFiles: number;
}

/** Runs the promises of every vault on an engine. */
export const describeVault = (engine: string, { open, manyFiles }: EngineUnderTest): void => {
  describe(`a vault on ${engine}`, () => {
    let clock: MovedClock;
    let vault: Vault;

    beforeEach(async () => {
      clock = new MovedClock();
      vault = await open(clock);
    });
    afterEach(async () => {
      await vault[Symbol.asyncDispose]();
    });

    const read = async (key: string) => await buffer(await vault.read(key));

    test("gives back what it was given to keep, and empties the staging folder", async () => {
      const staged = await stage(vault, "a resume");
      const key = await vault.keep(staged);
      expect((await read(key)).toString()).toBe("a resume");
      expect(existsSync(staged.path)).toBe(false);
    });

    test("keeps a resume of 5 MiB byte for byte", async () => {
      const content = randomBytes(5 * 1024 * 1024);
      expect((await read(await vault.keep(await stage(vault, content)))).equals(content)).toBe(true);
    });

    test("names equal files differently, and after nothing that the caller sent", async () => {
      const first = await stage(vault, "twice");
      const keys = [await vault.keep(first), await vault.keep(await stage(vault, "twice"))];
      expect(new Set(keys).size).toBe(2);
      for (const key of keys) expect(key).not.toContain(first.sha256.slice(0, 8));
    });

    test("keeps a file under the name that it had in another vault", async () => {
      const key = "2025/02/28/0123456789abcdef0123456789abcdef";
      expect(await vault.keep(await stage(vault, "from elsewhere"), key)).toBe(key);
      expect((await read(key)).toString()).toBe("from elsewhere");
      const wrong = await stage(vault);
      await expect(vault.keep(wrong, "2025/02/28/../../x")).rejects.toThrow(RangeError);
      expect(existsSync(wrong.path)).toBe(true);
    });

    test("keeps many at once", async () => {
      const contents = Array.from({ length: 40 }, (_, index) => `resume ${index}`);
      const keys = await Promise.all(contents.map(async (content) => vault.keep(await stage(vault, content))));
      expect(new Set(keys).size).toBe(40);
      expect((await Promise.all(keys.map(read))).map(String)).toEqual(contents);
    });

    test("takes back what it kept, and does not mind when it is gone", async () => {
      const key = await vault.keep(await stage(vault));
      const other = await vault.keep(await stage(vault, "other"));
      await vault.discard(key);
      await expect(vault.read(key)).rejects.toThrow(ResumeMissing);
      await vault.discard(key);
      expect((await read(other)).toString()).toBe("other");
    });

    test("refuses what is not there to be kept, or not as long as it was", async () => {
      const staged = await stage(vault, "whole");
      await expect(vault.keep({ ...staged, path: `${staged.path}-gone` })).rejects.toThrow(VaultUnavailable);
      await expect(vault.keep({ ...staged, size: staged.size + 1 })).rejects.toThrow();
      const asked: string[] = [];
      clock.advance(2 * hourMs);
      await vault.sweep(async (keys) => (asked.push(...keys), new Set(keys)), hourMs);
      expect(asked).toEqual([]);
    });

    test.each([
      "",
      ".",
      "..",
      "../secret",
      "/etc/passwd",
      ".staging/secret",
      "2026/01/01/../../../secret",
      `2026/01/01/${"a".repeat(32)}\0`,
      `2026/01/01/${"a".repeat(32)}\n`,
      `2026/01/01/${"A".repeat(32)}`,
      `2026\\01\\01\\${"a".repeat(32)}`,
      "__proto__",
    ])("does not read or discard %j, which is no key", async (key) => {
      const staged = await stage(vault);
      await expect(vault.read(key)).rejects.toThrow();
      await vault.discard(key).catch(() => {});
      expect(existsSync(staged.path)).toBe(true);
    });

    test("is ready, and leaves nothing behind when asked", async () => {
      expect(await vault.checkReadiness()).toEqual({ ready: true });
      expect(await readdir(vault.stagingFolder)).toEqual([]);
    });

    test("lets nobody else look into the staging folder", async () => {
      expect((await stat(vault.stagingFolder)).mode & 0o777).toBe(0o700);
    });

    test("sweeps old staging leftovers and old files without an application, and nothing else", async () => {
      await stage(vault);
      const known = await vault.keep(await stage(vault, "known"));
      const orphan = await vault.keep(await stage(vault));
      clock.advance(2 * hourMs);
      const young = await vault.keep(await stage(vault, "young"));
      expect(await vault.sweep(knowing(known), hourMs)).toEqual({ staged: 1, orphaned: 1, withheld: 0 });
      expect((await read(known)).toString()).toBe("known");
      expect((await read(young)).toString()).toBe("young");
      await expect(vault.read(orphan)).rejects.toThrow();
      expect(await vault.sweep(knowing(known), hourMs)).toEqual({ staged: 0, orphaned: 0, withheld: 0 });
    });

    test("does not sweep what is young", async () => {
      const staged = await stage(vault);
      const key = await vault.keep(await stage(vault, "young"));
      clock.advance(hourMs / 2);
      expect(await vault.sweep(knowing(), hourMs)).toEqual({ staged: 0, orphaned: 0, withheld: 0 });
      expect(existsSync(staged.path)).toBe(true);
      expect((await read(key)).toString()).toBe("young");
    });

    test("asks for at most 500 keys at a time, each once, and finds them all", async () => {
      const keys = await Promise.all(
        Array.from({ length: manyFiles }, async () => vault.keep(await stage(vault, "x"))),
      );
      clock.advance(2 * hourMs);
      const batches: (readonly string[])[] = [];
      const swept = await vault.sweep(async (batch) => (batches.push(batch), new Set(batch.slice(1))), hourMs);
      expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(500);
      expect(batches.flat().toSorted()).toEqual(keys.toSorted());
      expect(swept.orphaned).toBe(batches.length);
    });

    test("leaves files alone that are too many to be leftovers: the database may be the wrong one", async () => {
      const keys = await Promise.all(Array.from({ length: 20 }, async () => vault.keep(await stage(vault, "kept"))));
      clock.advance(2 * hourMs);
      expect(await vault.sweep(knowing(...keys.slice(0, 9)), hourMs)).toEqual({ staged: 0, orphaned: 0, withheld: 11 });
      for (const key of keys) expect((await read(key)).toString()).toBe("kept");
      expect(await vault.sweep(knowing(...keys.slice(0, 10)), hourMs)).toEqual({
        staged: 0,
        orphaned: 10,
        withheld: 0,
      });
    });

    test("may be swept by several processes at once", async () => {
      const known = await vault.keep(await stage(vault, "known"));
      const orphans = await Promise.all(Array.from({ length: 4 }, async () => vault.keep(await stage(vault))));
      clock.advance(2 * hourMs);
      await Promise.all(Array.from({ length: 3 }, () => vault.sweep(knowing(known), hourMs)));
      expect((await read(known)).toString()).toBe("known");
      for (const orphan of orphans) await expect(vault.read(orphan)).rejects.toThrow(ResumeMissing);
    });

    test("sweeps nothing away when nobody can say what is known", async () => {
      const key = await vault.keep(await stage(vault, "kept"));
      clock.advance(2 * hourMs);
      await expect(vault.sweep(unknowing, hourMs)).rejects.toThrow("the database is away");
      expect((await read(key)).toString()).toBe("kept");
    });
  });
};
