// The disk vault: the promises of every vault, and how it lays files out.
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { openVault } from "../../server/src/resumes/open-vault.ts";
import { type Vault, VaultUnavailable } from "../../server/src/resumes/vault.ts";
import { openFolder } from "../support/folder.ts";
import { shared } from "../support/shared.ts";
import { MovableClock } from "../support/movable-clock.ts";
import { describeVault, stage } from "./vault-contract.ts";

const base = shared(openFolder);
let vaults = 0;
const nextFolder = () => join(base().path, `${(vaults += 1)}`, "resumes");

const openDisk = async (folder = nextFolder(), clock = new MovableClock()) => ({
  folder,
  clock,
  vault: await openVault({ kind: "disk", folder }, clock),
});

describeVault("disk", {
  manyFiles: 620,
  async open(clock) {
    const folder = nextFolder();
    const names = () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.parentPath.endsWith(".staging"))
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
        .toSorted();
    return { vault: await openVault({ kind: "disk", folder }, clock), names: async () => names() };
  },
});

const sweep = (vault: Vault, known: readonly string[] = []) =>
  vault.sweep({ known: async () => new Set(known), identity: "the store", olderThanMs: 3_600_000 });

test("files lie in a folder of their UTC day, readable for the service only", async () => {
  let now = Date.UTC(2024, 1, 29, 23, 59);
  const { folder, vault } = await openDisk(nextFolder(), Object.assign(new MovableClock(), { now: () => now }));
  const key = await vault.keep(await stage(vault));
  expect(key).toMatch(/^2024\/02\/29\/[0-9a-f]{32}$/);
  expect(statSync(join(folder, key)).mode & 0o777).toBe(0o600);
  for (const part of ["2024", "2024/02", "2024/02/29", ".staging"]) {
    expect(statSync(join(folder, part)).mode & 0o777).toBe(0o700);
  }
  now += 60_000;
  expect(await vault.keep(await stage(vault))).toMatch(/^2024\/03\/01\//);
});

test("a file whose bytes cannot be read fails as the vault does", async () => {
  const { folder, vault } = await openDisk();
  const key = await vault.keep(await stage(vault));
  rmSync(join(folder, key));
  // It can be opened, and every read fails.
  mkdirSync(join(folder, key));
  await expect(vault.read(key).then(text)).rejects.toThrow(VaultUnavailable);
});

test("a file that was staged for all to read is kept for the service only", async () => {
  const { folder, vault } = await openDisk();
  const staged = await stage(vault);
  chmodSync(staged.path, 0o644);
  expect(statSync(join(folder, await vault.keep(staged))).mode & 0o777).toBe(0o600);
});

test("a day's folder that was removed costs one refusal at most", async () => {
  const { folder, vault } = await openDisk();
  const key = await vault.keep(await stage(vault));
  rmSync(join(folder, key.slice(0, 4)), { recursive: true });
  await expect(vault.keep(await stage(vault))).rejects.toMatchObject({
    name: "VaultUnavailable",
    cause: { code: "ENOENT" },
  });
  const next = await vault.keep(await stage(vault, "again"));
  expect(await text(await vault.read(next))).toBe("again");
});

test("the sweep touches nothing that the vault did not name", async () => {
  const { folder, clock, vault } = await openDisk();
  await sweep(vault);
  const key = await vault.keep(await stage(vault));
  const strangers = [
    "README",
    "2024/01/notes.txt",
    `${key.slice(0, 10)}/backup.tar`,
    `${key}.bak`,
    `backup/${"a".repeat(32)}`,
    ".staging/folder/file",
  ];
  for (const name of strangers) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), "mine");
  }
  clock.advance(48 * 3_600_000);
  expect(await sweep(vault)).toMatchObject({ staged: 0, setAside: 1, withheld: "none" });
  for (const name of strangers) expect(existsSync(join(folder, name)), name).toBe(true);
  expect(existsSync(join(folder, key))).toBe(false);
});

test("what this process could not take back is removed by its next sweep, however young", async () => {
  const { folder, vault } = await openDisk();
  const key = await vault.keep(await stage(vault));
  const day = join(folder, key.slice(0, 10));
  renameSync(day, `${day}-away`);
  writeFileSync(day, "in the way");
  await expect(vault.discard(key)).rejects.toMatchObject({ name: "VaultUnavailable", cause: { code: "ENOTDIR" } });
  rmSync(day);
  renameSync(`${day}-away`, day);
  expect(await sweep(vault)).toMatchObject({ removed: 1, setAside: 0 });
  expect(existsSync(join(folder, key))).toBe(false);
});

test("the identity and what is set aside are readable for the service only", async () => {
  const { folder, clock, vault } = await openDisk();
  await sweep(vault);
  const key = await vault.keep(await stage(vault));
  clock.advance(2 * 3_600_000);
  await sweep(vault);
  expect(statSync(join(folder, `set-aside/${key}`)).mode & 0o777).toBe(0o600);
  for (const name of [".identity", "set-aside"]) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o700);
});

test("with less room than is asked for, uploads find none", async () => {
  const vault = await openVault({ kind: "disk", folder: nextFolder(), freeBytesMin: Infinity }, new MovableClock());
  expect(await vault.hasRoom()).toBe(false);
  const { vault: other } = await openDisk();
  rmSync(other.stagingFolder, { recursive: true });
  expect(await other.hasRoom()).toBe(false);
});

test("a folder that was moved away or replaced is not ready, and ready again once it is back", async () => {
  const { folder, vault } = await openDisk();
  renameSync(folder, `${folder}-away`);
  expect(await vault.checkReadiness()).toEqual({ ready: false, reason: "resume folder cannot be written: ENOENT" });
  mkdirSync(join(folder, ".staging"), { recursive: true });
  expect(await vault.checkReadiness()).toEqual({ ready: false, reason: "The resume folder was replaced." });
  await expect(vault.keep(await stage(vault))).rejects.toThrow(VaultUnavailable);
  expect(readdirSync(folder)).toEqual([".staging"]);
  rmSync(folder, { recursive: true });
  renameSync(`${folder}-away`, folder);
  expect(await vault.checkReadiness()).toEqual({ ready: true });
});

test("a staging folder that cannot be written is not ready", async () => {
  const { vault } = await openDisk();
  rmSync(vault.stagingFolder, { recursive: true });
  writeFileSync(vault.stagingFolder, "");
  expect(await vault.checkReadiness()).toEqual({ ready: false, reason: "resume folder cannot be written: ENOTDIR" });
});

test("a place that is no folder is refused at start", async () => {
  const file = join(base().path, "file");
  writeFileSync(file, "");
  await expect(openDisk(file)).rejects.toMatchObject({ code: "ENOTDIR" });
});

test("opening closes the staging folder to others and leaves what is in it", async () => {
  const folder = nextFolder();
  mkdirSync(join(folder, ".staging"), { recursive: true, mode: 0o755 });
  writeFileSync(join(folder, ".staging", "under-way"), "");
  await openDisk(folder);
  expect(statSync(join(folder, ".staging")).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(folder, ".staging"))).toEqual(["under-way"]);
});
