// What every vault promises, as the port says it. The test file of each engine runs this and adds its own tests.
import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Clock } from "../../server/src/clock.ts";
import {
  ResumeMissing,
  VaultUnavailable,
  type KnownKeys,
  type StagedFile,
  type Swept,
  type Vault,
} from "../../server/src/resumes/vault.ts";
import { MovableClock } from "../support/movable-clock.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export const stage = async (vault: Vault, content: string | Buffer = randomBytes(64)): Promise<StagedFile> => {
  const bytes = Buffer.from(content);
  const path = join(vault.stagingFolder, randomBytes(8).toString("hex"));
  await writeFile(path, bytes, { mode: 0o600 });
  return { path, size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
};

/** The store's answer, when it knows these keys. */
const knowing =
  (...keys: string[]): KnownKeys =>
  () =>
    Promise.resolve(new Set(keys));
const unavailable: KnownKeys = () => Promise.reject(new Error("the database is away"));

const nothingSwept: Swept = { staged: 0, setAside: 0, putBack: 0, removed: 0, withheld: "none" };

export interface VaultUnderTest {
  readonly vault: Vault;
  names(): Promise<readonly string[]>;
}

interface EngineUnderTest {
  /** Makes an empty vault, whose files age by this clock; it is disposed of after each test. */
  readonly open: (clock: Clock) => Promise<VaultUnderTest>;
  /** So many files that the engine has to list them in several pages. */
  readonly manyFiles: number;
}

export const describeVault = (engine: string, { open, manyFiles }: EngineUnderTest): void => {
  describe(`a vault on ${engine}`, () => {
    let clock: MovableClock;
    let vault: Vault;
    let names: VaultUnderTest["names"];

    beforeEach(async () => {
      clock = new MovableClock();
      ({ vault, names } = await open(clock));
    });
    afterEach(async () => {
      await vault[Symbol.asyncDispose]();
    });

    const sweep = (known: KnownKeys, identity = "the store") => vault.sweep({ known, identity, olderThanMs: hourMs });
    const keepMany = (count: number) =>
      Promise.all(Array.from({ length: count }, async (_, index) => vault.keep(await stage(vault, `${index}`))));
    const isReadable = (key: string) =>
      vault.read(key).then(
        (bytes) => (bytes.destroy(), true),
        () => false,
      );
    const read = async (key: string) => await buffer(await vault.read(key));

    test("gives back 5 MiB byte for byte as it was staged, and empties the staging folder", async () => {
      const content = randomBytes(5 * 1024 * 1024);
      const staged = await stage(vault, content);
      expect((await read(await vault.keep(staged))).equals(content)).toBe(true);
      expect(existsSync(staged.path)).toBe(false);
    });

    test("names equal files differently, and after nothing that the caller sent", async () => {
      const first = await stage(vault, "twice");
      const keys = [await vault.keep(first), await vault.keep(await stage(vault, "twice"))];
      expect(new Set(keys).size).toBe(2);
      for (const key of keys) expect(key).not.toContain(first.sha256.slice(0, 8));
    });

    test("keeps a file under the name that it had in another vault", async () => {
      const key = "2025/02/28/0123456789abcdef0123456789abcdef";
      expect(await vault.keep(await stage(vault, "from elsewhere"), { key })).toBe(key);
      expect((await read(key)).toString()).toBe("from elsewhere");
      const wrong = await stage(vault);
      await expect(vault.keep(wrong, { key: "2025/02/28/../../x" })).rejects.toThrow(RangeError);
      expect(existsSync(wrong.path)).toBe(true);
    });

    test("keeps many at once", async () => {
      const keys = await keepMany(40);
      expect(new Set(keys).size).toBe(40);
      expect((await Promise.all(keys.map(read))).map(String)).toEqual(keys.map((_, index) => `${index}`));
    });

    test("takes back what it kept, also twice", async () => {
      const key = await vault.keep(await stage(vault));
      const other = await vault.keep(await stage(vault, "other"));
      await vault.discard(key);
      await expect(vault.read(key)).rejects.toThrow(ResumeMissing);
      await vault.discard(key);
      expect((await read(other)).toString()).toBe("other");
    });

    test("refuses a file that is not there, or not as long as it was", async () => {
      const staged = await stage(vault, "whole");
      await expect(vault.keep({ ...staged, path: `${staged.path}-gone` })).rejects.toThrow(VaultUnavailable);
      await expect(vault.keep({ ...staged, size: staged.size + 1 })).rejects.toThrow();
      expect(await names()).toEqual([]);
    });

    test("keeps nothing after the deadline of the request", async () => {
      const staged = await stage(vault, "late");
      await expect(vault.keep(staged, { deadline: performance.now() - 1 })).rejects.toThrow(VaultUnavailable);
      expect(existsSync(staged.path)).toBe(true);
      expect(await names()).toEqual([]);
      await vault.keep(staged, { deadline: performance.now() + 60_000 });
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

    test("is ready and has room, leaves nothing behind when asked, and lets no other user see what is staged", async () => {
      expect([await vault.checkReadiness(), await vault.hasRoom()]).toEqual([{ ready: true }, true]);
      expect(await readdir(vault.stagingFolder)).toEqual([]);
      expect((await stat(vault.stagingFolder)).mode & 0o777).toBe(0o700);
    });

    describe("swept", () => {
      // The vault is paired with its store as the service does when it starts for the first time.
      beforeEach(async () => {
        expect(await sweep(knowing())).toEqual(nothingSwept);
        expect([await vault.belongsTo("the store"), await vault.belongsTo("another")]).toEqual([true, false]);
      });

      test("loses old staging leftovers, and old files without an application are set aside", async () => {
        const staged = await stage(vault);
        const known = await vault.keep(await stage(vault, "known"));
        const orphan = await vault.keep(await stage(vault));
        clock.advance(hourMs / 2);
        expect(await sweep(knowing(known))).toEqual(nothingSwept);
        expect(existsSync(staged.path)).toBe(true);
        clock.advance(2 * hourMs);
        const young = await vault.keep(await stage(vault, "young"));
        expect(await sweep(knowing(known))).toEqual({ ...nothingSwept, staged: 1, setAside: 1 });
        expect((await read(known)).toString()).toBe("known");
        expect((await read(young)).toString()).toBe("young");
        await expect(vault.read(orphan)).rejects.toThrow(ResumeMissing);
        expect(await names()).toContain(`set-aside/${orphan}`);
        expect(await sweep(knowing(known))).toEqual(nothingSwept);
      });

      test("removes what was set aside 30 days ago, not earlier", async () => {
        const key = await vault.keep(await stage(vault));
        clock.advance(2 * hourMs);
        await sweep(knowing());
        clock.advance(30 * dayMs - hourMs);
        expect(await sweep(knowing())).toEqual(nothingSwept);
        expect(await names()).toContain(`set-aside/${key}`);
        clock.advance(2 * hourMs);
        expect(await sweep(knowing())).toEqual({ ...nothingSwept, removed: 1 });
        expect(await names()).toEqual([]);
      });

      test("puts back what was set aside and has an application after all", async () => {
        const key = await vault.keep(await stage(vault, "wanted"));
        clock.advance(2 * hourMs);
        expect(await sweep(knowing())).toMatchObject({ setAside: 1 });
        clock.advance(40 * dayMs);
        expect(await sweep(knowing(key))).toEqual({ ...nothingSwept, putBack: 1 });
        expect((await read(key)).toString()).toBe("wanted");
      });

      test("judges only the files of the last days", async () => {
        const recent = await vault.keep(await stage(vault, "recent"));
        const old = await vault.keep(await stage(vault, "old"), { key: `2025/02/28/${"0".repeat(32)}` });
        clock.advance(2 * hourMs);
        expect(await sweep(knowing())).toMatchObject({ setAside: 1 });
        expect(await isReadable(recent)).toBe(false);
        expect(await isReadable(old)).toBe(true);
      });

      test("keeps the newer resumes when the database is restored from a backup", async () => {
        const keys = await keepMany(55);
        const inBackup = keys.slice(0, 30);
        clock.advance(2 * hourMs);
        expect(await sweep(knowing(...inBackup))).toEqual({ ...nothingSwept, withheld: "too-many" });
        for (const key of keys) expect(await isReadable(key)).toBe(true);
        // Nor later, when some of them are too old to be looked at and the rest would be few enough.
        clock.advance(2 * dayMs);
        const later = await vault.keep(await stage(vault));
        clock.advance(2 * hourMs);
        expect(await sweep(knowing(...inBackup, ...keys.slice(30, 50)))).toEqual({ ...nothingSwept, setAside: 1 });
        for (const key of keys) expect(await isReadable(key)).toBe(true);
        expect(await isReadable(later)).toBe(false);
      });

      test("sets aside ten at once and not eleven", async () => {
        const ten = await keepMany(10);
        clock.advance(2 * hourMs);
        expect(await sweep(knowing())).toEqual({ ...nothingSwept, setAside: 10 });
        for (const key of ten) expect(await isReadable(key)).toBe(false);
        const eleven = await keepMany(11);
        clock.advance(2 * hourMs);
        expect(await sweep(knowing())).toEqual({ ...nothingSwept, withheld: "too-many" });
        for (const key of eleven) expect(await isReadable(key)).toBe(true);
      });

      test("keeps everything from the store of another identity: an empty database takes none", async () => {
        const [aside, kept] = [await vault.keep(await stage(vault)), await vault.keep(await stage(vault))];
        clock.advance(2 * hourMs);
        expect(await sweep(knowing(kept))).toMatchObject({ setAside: 1 });
        clock.advance(40 * dayMs);
        const newer = await vault.keep(await stage(vault));
        clock.advance(2 * hourMs);
        const before = await names();
        expect(await sweep(knowing(), "another store")).toEqual({ ...nothingSwept, withheld: "other-identity" });
        expect(await names()).toEqual(before);
        expect(await sweep(knowing(kept))).toEqual({ ...nothingSwept, setAside: 1, removed: 1 });
        expect([await isReadable(newer), (await names()).includes(`set-aside/${aside}`)]).toEqual([false, false]);
      });

      test("asks for at most 500 keys at a time, each once, and finds them all", async () => {
        const keys = await keepMany(manyFiles);
        clock.advance(2 * hourMs);
        const batches: (readonly string[])[] = [];
        await sweep(async (batch) => (batches.push(batch), new Set(batch)));
        expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(500);
        expect(batches.flat().toSorted()).toEqual(keys.toSorted());
      });

      test("may be swept by several processes at once", async () => {
        const known = await vault.keep(await stage(vault, "known"));
        const orphans = await keepMany(4);
        clock.advance(2 * hourMs);
        const sweeps = await Promise.all(Array.from({ length: 3 }, () => sweep(knowing(known))));
        expect(sweeps.map(({ withheld }) => withheld)).toEqual(["none", "none", "none"]);
        expect((await read(known)).toString()).toBe("known");
        expect(await names()).toEqual([known, ...orphans.map((key) => `set-aside/${key}`)].toSorted());
      });

      test("touches no file that is being kept at this moment", async () => {
        const staged = await Promise.all(Array.from({ length: 40 }, () => stage(vault)));
        const kept = new AbortController();
        const sweeps = (async () => {
          while (!kept.signal.aborted) await sweep(knowing());
        })();
        const keys: string[] = [];
        for (const file of staged) keys.push(await vault.keep(file));
        kept.abort();
        await sweeps;
        for (const key of keys) expect(await buffer(await vault.read(key))).toHaveLength(64);
      });

      test("keeps everything while the store cannot be asked", async () => {
        const key = await vault.keep(await stage(vault, "kept"));
        clock.advance(2 * hourMs);
        await expect(sweep(unavailable)).rejects.toThrow("the database is away");
        expect((await read(key)).toString()).toBe("kept");
      });
    });

    describe("that has files and belongs to no store yet", () => {
      test("says so", async () => {
        expect(await vault.belongsTo("the store")).toBe(false);
        expect(await vault.belongsTo("")).toBe(false);
      });

      test("is paired with a store that knows some of them, and these files are never judged", async () => {
        const [known, orphan] = [await vault.keep(await stage(vault)), await vault.keep(await stage(vault))];
        clock.advance(2 * hourMs);
        expect(await sweep(knowing(known))).toEqual(nothingSwept);
        const later = await vault.keep(await stage(vault));
        clock.advance(2 * hourMs);
        expect(await sweep(knowing(known))).toEqual({ ...nothingSwept, setAside: 1 });
        expect([await isReadable(orphan), await isReadable(later)]).toEqual([true, false]);
      });

      test.each([
        ["hours", 2 * hourMs, {}],
        ["a moment", 0, { key: `2025/02/28/${"0".repeat(32)}` }],
      ])("is not paired with a store that knows none of them, kept or copied %s ago", async (_when, ageMs, options) => {
        const key = await vault.keep(await stage(vault), options);
        clock.advance(ageMs);
        for (const _time of [1, 2]) {
          expect(await sweep(knowing())).toEqual({ ...nothingSwept, withheld: "other-identity" });
        }
        expect(await names()).toEqual([key]);
      });

      test("is paired while its first applications are being stored, and their files are never judged", async () => {
        const underWay = await vault.keep(await stage(vault));
        clock.advance(hourMs / 2);
        expect(await sweep(knowing())).toEqual(nothingSwept);
        expect(await vault.belongsTo("the store")).toBe(true);
        clock.advance(2 * hourMs);
        const later = await vault.keep(await stage(vault));
        clock.advance(2 * hourMs);
        expect(await sweep(knowing())).toEqual({ ...nothingSwept, setAside: 1 });
        expect([await isReadable(underWay), await isReadable(later)]).toEqual([true, false]);
      });
    });
  });
};
