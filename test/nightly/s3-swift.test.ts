// The vault in a real object store, OpenStack Swift; test/nightly/install-peers.sh installs it.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../server/src/clock.ts";
import { openS3Vault, type S3Settings } from "../../server/src/resumes/s3.ts";
import { LaterS3 } from "./later-s3.ts";
import { swiftIsInstalled, SwiftServer } from "./swift-server.ts";
import { describeVault, stage } from "../contract/vault-contract.ts";

describe.runIf(swiftIsInstalled)("with OpenStack Swift (skipped where it is not installed)", () => {
  const base = mkdtempSync(join(tmpdir(), "s3-swift-"));
  let swift: SwiftServer;
  let later: LaterS3;
  let vaults = 0;

  beforeAll(async () => {
    swift = await SwiftServer.open();
    later = await LaterS3.open(swift.endpoint);
    vi.stubEnv("AWS_ACCESS_KEY_ID", swift.credentials.accessKeyId);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", swift.credentials.secretAccessKey);
    expect((await swift.native("PUT", "resumes")).status).toBe(201);
  }, 120_000);
  afterAll(async () => {
    await later[Symbol.asyncDispose]();
    await swift[Symbol.asyncDispose]();
    rmSync(base, { recursive: true });
    vi.unstubAllEnvs();
  });

  const settings = (changes: Partial<S3Settings> = {}): S3Settings => ({
    bucket: "resumes",
    prefix: `${(vaults += 1)}/`,
    endpoint: swift.endpoint,
    region: "us-east-1",
    links: true,
    folder: join(base, `${vaults}`),
    ...changes,
  });

  describeVault("Swift", {
    manyFiles: 120,
    async open(clock) {
      later.ahead = () => clock.now() - Date.now();
      const place = settings({ endpoint: later.url });
      const names = async () => {
        const listing = await (await swift.native("GET", `resumes?prefix=${place.prefix}`)).text();
        return listing
          .split("\n")
          .filter(Boolean)
          .map((name) => name.slice(place.prefix.length))
          .filter((name) => name !== ".identity")
          .toSorted();
      };
      return { vault: await openS3Vault(place, clock), names };
    },
  });

  test("objects are to be saved and never shown", async () => {
    const place = settings();
    await using vault = await openS3Vault(place, systemClock);
    const key = await vault.keep(await stage(vault, "a resume"));
    const { status, headers } = await swift.native("HEAD", `resumes/${place.prefix}${key}`);
    expect(status).toBe(200);
    expect(["content-length", "content-type", "content-disposition"].map((name) => headers.get(name))).toEqual([
      "8",
      "application/octet-stream",
      "attachment",
    ]);
    // Without a signature it is no request of an S3 client at all.
    const stranger = await fetch(`${swift.endpoint}/resumes/${place.prefix}${key}`);
    expect(stranger.ok).toBe(false);
  });

  test.each([64, 3_000_000])("%i bytes that are not those that were hashed are refused by the store", async (size) => {
    const place = settings();
    await using vault = await openS3Vault(place, systemClock);
    const staged = await stage(vault, randomBytes(size));
    writeFileSync(staged.path, randomBytes(size));
    await expect(vault.keep(staged)).rejects.toThrow("it answers 400");
    const listing = await (await swift.native("GET", `resumes?prefix=${place.prefix}`)).text();
    expect(listing).toBe("");
  });

  test("a link gives the file under the name of the upload, and works only unchanged", async () => {
    await using vault = await openS3Vault(settings(), systemClock);
    const bytes = randomBytes(100_000);
    const key = await vault.keep(await stage(vault, bytes));
    const link = (await vault.link(key, "Résumé \"2026\" 'final'.pdf"))!;
    const answer = await fetch(link);
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    expect(answer.headers.get("content-type")).toBe("application/octet-stream");
    expect(answer.headers.get("content-disposition")).toContain("filename*=UTF-8''R%C3%A9sum%C3%A9%20%222026%22");
    expect((await fetch(link.replace("Expires=300", "Expires=301"))).status).toBe(403);
    expect((await fetch(link.replace(/filename/, "filenome"))).status).toBe(403);
  });

  test("a wrong secret and a missing bucket are not ready, and nothing is kept", async () => {
    await using elsewhere = await openS3Vault(settings({ bucket: "nowhere" }), systemClock);
    expect(await elsewhere.checkReadiness()).toEqual({
      ready: false,
      reason: "The object store cannot be used: there is no such bucket.",
    });
    await expect(elsewhere.keep(await stage(elsewhere))).rejects.toMatchObject({ name: "VaultUnavailable" });
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "guessed");
    await using guessing = await openS3Vault(settings(), systemClock);
    expect(await guessing.checkReadiness()).toEqual({
      ready: false,
      reason: "The object store cannot be used: the credentials are wrong or lack a permission.",
    });
    await expect(guessing.keep(await stage(guessing))).rejects.toThrow("credentials");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", swift.credentials.secretAccessKey);
  });

  test("resumes of 5 MiB are kept and read, many at once", async () => {
    await using vault = await openS3Vault(settings(), systemClock);
    const contents = Array.from({ length: 6 }, () => randomBytes(5 * 1024 * 1024));
    const keys = await Promise.all(contents.map(async (content) => vault.keep(await stage(vault, content))));
    const read = await Promise.all(keys.map(async (key) => buffer(await vault.read(key))));
    expect(read.map((bytes, index) => bytes.equals(contents[index]!))).toEqual(contents.map(() => true));
  });
});
