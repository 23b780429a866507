// The vault in an object store that fails when a test wants it: what is sent, believed, tried again and said.
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { systemClock, type Clock } from "../../server/src/clock.ts";
import { s3Limits, type S3Limits } from "../../server/src/resumes/s3-calls.ts";
import { openS3Vault, type S3Settings } from "../../server/src/resumes/s3.ts";
import { type Vault, VaultUnavailable } from "../../server/src/resumes/vault.ts";
import { openFolder } from "../support/folder.ts";
import { s3Credentials, sharedS3, type S3Mishap } from "../support/s3-stand-in.ts";
import { shared } from "../support/shared.ts";
import { describeVault, stage } from "./vault-contract.ts";

const base = shared(openFolder);
let folders = 0;
const store = await sharedS3();

const minute = 60_000;
// Time-outs that no busy machine uses up,
const longLimits = {
  ...s3Limits,
  attemptMs: minute,
  triesMs: 5 * minute,
  discardMs: minute,
  pauseMs: 5,
  readinessMs: minute,
  idleMs: minute,
};
// and those that a test waits for.
const shortLimits = { ...longLimits, attemptMs: 500, readinessMs: 500, idleMs: 500 };

const open = (
  settings: Partial<S3Settings> = {},
  clock: Clock = systemClock,
  limits: S3Limits = longLimits,
): Promise<Vault> =>
  openS3Vault(
    {
      bucket: store.bucket,
      prefix: "kept/",
      endpoint: store.url,
      region: "us-east-1",
      links: true,
      folder: join(base().path, `${(folders += 1)}`),
      ...settings,
    },
    clock,
    limits,
  );

describeVault("an object store", {
  manyFiles: 120,
  async open(clock) {
    store.now = () => clock.now();
    const vault = await open({ prefix: "live résumés/" }, clock, s3Limits);
    const names = () =>
      [...store.objects.keys()]
        .map((name) => name.replace("live résumés/", ""))
        .filter((name) => name !== ".identity")
        .toSorted();
    return { vault, names: async () => names() };
  },
});

const hourMs = 3_600_000;
const sweep = (vault: Vault, known: readonly string[] = []) =>
  vault.sweep({ known: async () => new Set(known), identity: "the store", olderThanMs: hourMs });

describe("an object store that fails", () => {
  let vault: Vault;
  beforeEach(async () => {
    vault = await open();
  });
  afterEach(() => vault[Symbol.asyncDispose]());

  /** A vault that waits no longer than a test can, if the store will be silent. */
  const openFor = (mishap: S3Mishap | null) =>
    open({}, systemClock, mishap === "hang" || mishap === "stall" ? shortLimits : longLimits);
  const puts = () => store.requests.filter((request) => request.startsWith("PUT"));
  const bytes = randomBytes(200_000);

  test.each<S3Mishap>([
    { status: 500, code: "InternalError" },
    { status: 503, code: "SlowDown" },
    { status: 403, code: "RequestTimeTooSkewed" },
    { status: 400, code: "RequestTimeout" },
    "cut before storing",
    "cut after storing",
  ])("is asked again after %j, under the same name", async (mishap) => {
    store.next(mishap);
    const key = await vault.keep(await stage(vault, bytes));
    expect(puts()).toEqual([`PUT kept/${key}`, `PUT kept/${key}`]);
    expect([...store.objects.keys()]).toEqual([`kept/${key}`]);
    expect((await buffer(await vault.read(key))).equals(bytes)).toBe(true);
  });

  test("is asked again after silence, under the same name", async () => {
    await using waiting = await openFor("hang");
    store.next("hang");
    const key = await waiting.keep(await stage(waiting, bytes));
    // A busy machine may be silent for as long, too.
    expect(puts().length).toBeGreaterThan(1);
    expect(new Set(puts())).toEqual(new Set([`PUT kept/${key}`]));
    expect([...store.objects.keys()]).toEqual([`kept/${key}`]);
    expect((await buffer(await vault.read(key))).equals(bytes)).toBe(true);
  });

  test.each<[S3Mishap, string]>([
    [{ status: 500, code: "InternalError" }, "it answers 500"],
    [{ status: 503, code: "SlowDown" }, "it answers 503"],
    ["cut before storing", "the connection failed (RESET)"],
    ["hang", "it does not answer in time"],
  ])("is asked three times at most, and then %j is said in words", async (mishap, reason) => {
    await using waiting = await openFor(mishap);
    store.breakdown = mishap;
    const error = await waiting.keep(await stage(waiting, bytes)).catch((thrown: unknown) => thrown);
    // A writer gets EPIPE, a reader ECONNRESET.
    expect(String(error).replace(/EPIPE|ECONNRESET/, "RESET")).toBe(
      `VaultUnavailable: The object store cannot be used: ${reason}.`,
    );
    expect(puts()).toHaveLength(3);
    expect(store.objects.size).toBe(0);
  });

  test("is given up at the deadline of the request", async () => {
    store.breakdown = "hang";
    let error: unknown;
    // A machine that is busy until the deadline sends nothing.
    while (puts().length === 0) {
      const late = vault.keep(await stage(vault, bytes), { deadline: performance.now() + 500 });
      error = await late.catch((thrown: unknown) => thrown);
    }
    expect(String(error)).toContain("it does not answer in time");
    // Each of three tries would have waited longer.
    expect(puts()).toHaveLength(1);
  });

  test("is asked again by the next sweep to remove what this process kept without an answer, or could not take back", async () => {
    await sweep(vault);
    const unwanted = await vault.keep(await stage(vault, bytes));
    store.breakdown = "cut after storing";
    await expect(vault.keep(await stage(vault, bytes))).rejects.toThrow("the connection failed");
    store.breakdown = { status: 500, code: "InternalError" };
    await expect(vault.discard(unwanted)).rejects.toThrow("it answers 500");
    expect(store.objects.size).toBe(3);
    store.breakdown = null;
    expect(await sweep(vault)).toMatchObject({ removed: 2, setAside: 0 });
    expect([...store.objects.keys()]).toEqual(["kept/.identity"]);
    // A process that ends does not leave it to the next one, which would find too many after an outage.
    const ending = await open();
    store.breakdown = "cut after storing";
    await expect(ending.keep(await stage(ending, bytes))).rejects.toThrow("the connection failed");
    store.breakdown = null;
    expect(store.objects.size).toBe(2);
    await ending[Symbol.asyncDispose]();
    expect([...store.objects.keys()]).toEqual(["kept/.identity"]);
  });

  test.each<[S3Mishap, string]>([
    [{ status: 403, code: "AccessDenied" }, "the credentials are wrong or lack a permission"],
    [{ status: 404, code: "NoSuchBucket" }, "there is no such bucket"],
    [{ status: 301, code: "PermanentRedirect" }, "the bucket is in another region"],
    [{ status: 400, code: "BadDigest" }, "it answers 400"],
  ])("is not asked again after %j, which will not change", async (mishap, reason) => {
    store.next(mishap);
    await expect(vault.keep(await stage(vault, bytes))).rejects.toThrow(`The object store cannot be used: ${reason}.`);
    expect(puts()).toHaveLength(1);
    expect(store.objects.size).toBe(0);
  });

  test.each<S3Mishap>(["wrong etag", "wrong checksum", "stranger"])("is not believed with a %s", async (mishap) => {
    const staged = await stage(vault, bytes);
    store.next(mishap);
    await expect(vault.keep(staged)).rejects.toMatchObject({ name: "VaultUnavailable" });
    // The caller, who was refused, removes it.
    expect(existsSync(staged.path)).toBe(true);
  });

  test("is believed when it encrypts, although its ETags are of another kind then", async () => {
    store.encrypting = true;
    const key = await vault.keep(await stage(vault, bytes));
    expect((await buffer(await vault.read(key))).equals(bytes)).toBe(true);
  });

  test("keeps nothing when the staged file is not what was hashed: the store compares", async () => {
    const staged = await stage(vault, bytes);
    writeFileSync(staged.path, randomBytes(bytes.length));
    await expect(vault.keep(staged)).rejects.toThrow("it answers 400");
    expect(store.objects.size).toBe(0);
  });

  test.each<S3Mishap>(["cut answer", "stall"])("never passes for a whole file: %s", async (mishap) => {
    await using waiting = await openFor(mishap);
    const key = await vault.keep(await stage(vault, bytes));
    store.next(mishap);
    const read = waiting.read(key).then(buffer);
    await expect(read).rejects.toThrow(
      /^The object store cannot be used: (?:the connection failed|it does not answer)/,
    );
    await expect(read).rejects.toBeInstanceOf(VaultUnavailable);
    expect((await buffer(await vault.read(key))).equals(bytes)).toBe(true);
  });

  test.each<[S3Mishap | null, string]>([
    [{ status: 403, code: "" }, "the credentials are wrong or lack a permission"],
    [{ status: 404, code: "" }, "there is no such bucket"],
    [{ status: 301, code: "" }, "the bucket is in another region"],
    [{ status: 503, code: "" }, "it answers 503"],
    ["hang", "it does not answer in time"],
    ["cut after storing", "the connection failed (ECONNRESET)"],
  ])("is not ready: %j", async (mishap, reason) => {
    await using waiting = await openFor(mishap);
    store.breakdown = mishap;
    expect(await waiting.checkReadiness()).toEqual({
      ready: false,
      reason: `The object store cannot be used: ${reason}.`,
    });
    expect(store.requests).toHaveLength(1);
    store.breakdown = null;
    expect(await vault.checkReadiness()).toEqual({ ready: true });
  });

  test("is not ready while it is away, or while nothing can be staged", async () => {
    await store.goAway();
    expect(await vault.checkReadiness()).toMatchObject({ reason: expect.stringContaining("ECONNREFUSED") as string });
    await expect(vault.keep(await stage(vault))).rejects.toThrow("ECONNREFUSED");
    await store.listen();
    expect(await vault.checkReadiness()).toEqual({ ready: true });
    rmSync(vault.stagingFolder, { recursive: true });
    expect(await vault.checkReadiness()).toEqual({ ready: false, reason: "staging folder cannot be written: ENOENT" });
  });

  test("never names its credentials", async () => {
    store.breakdown = { status: 403, code: "SignatureDoesNotMatch" };
    const { reason } = await vault.checkReadiness();
    const failed = await vault.discard(`2026/01/01/${"a".repeat(32)}`).catch((error: unknown) => error);
    for (const said of [reason, String(failed)]) {
      expect(said).toContain("credentials");
      expect(said).not.toMatch(/AKID|hunter2|127\.0\.0\.1|2026/);
    }
  });

  test("ends a sweep, which moves nothing", async () => {
    await sweep(vault);
    const key = await vault.keep(await stage(vault, "kept"));
    store.now = () => Date.now() + 2 * hourMs;
    store.breakdown = { status: 500, code: "InternalError" };
    await expect(sweep(vault)).rejects.toMatchObject({ name: "VaultUnavailable" });
    store.breakdown = null;
    expect(await text(await vault.read(key))).toBe("kept");
  });
});

test("objects are sent whole and signed, to be saved and never shown, and private", async () => {
  await using vault = await open();
  const staged = await stage(vault, "a resume");
  const key = await vault.keep(staged);
  const { headers } = store.objects.get(`kept/${key}`)!;
  expect(headers).toMatchObject({
    "content-length": "8",
    "content-type": "application/octet-stream",
    "content-disposition": "attachment",
    "x-amz-content-sha256": staged.sha256,
    "x-amz-checksum-sha256": Buffer.from(staged.sha256, "hex").toString("base64"),
  });
  expect(Object.keys(headers)).not.toContain("x-amz-acl");
  expect(headers["transfer-encoding"]).toBeUndefined();
});

test("objects are named as files on a disk are, so that a copy keeps the names", async () => {
  await using vault = await open({}, { now: () => Date.UTC(2024, 1, 29, 23, 59) });
  const key = await vault.keep(await stage(vault));
  expect(key).toMatch(/^2024\/02\/29\/[0-9a-f]{32}$/);
  await using other = await open({ prefix: "" });
  expect(await other.keep(await stage(other))).toMatch(/^\d{4}\/\d{2}\/\d{2}\/[0-9a-f]{32}$/);
});

test("the sweep touches nothing that the vault did not name, and nothing beside its prefix", async () => {
  await using vault = await open();
  await sweep(vault);
  const key = await vault.keep(await stage(vault));
  const object = store.objects.get(`kept/${key}`)!;
  const strangers = ["kept/README", `kept/${key}.bak`, `kept/backup/${key}`, `other/${key}`, `kept-${key}`, key];
  for (const name of strangers) store.objects.set(name, object);
  store.now = () => Date.now() + 2 * hourMs;
  expect(await sweep(vault)).toMatchObject({ setAside: 1, removed: 0, withheld: "none" });
  expect([...store.objects.keys()].toSorted()).toEqual(
    [...strangers, "kept/.identity", `kept/set-aside/${key}`].toSorted(),
  );
  // Still to be saved and never shown.
  expect(store.objects.get(`kept/set-aside/${key}`)?.headers).toMatchObject({ "content-disposition": "attachment" });
});

test.each([-7_200_000, 7_200_000])("the sweep counts by the store's clock: ours may be %i ms off", async (skewMs) => {
  // A machine whose clock is wrong sweeps while another one has just sent its file.
  await using vault = await open({}, { now: () => Date.now() + skewMs });
  await sweep(vault);
  const name = `kept/${await vault.keep(await stage(vault))}`;
  expect(await sweep(vault)).toMatchObject({ setAside: 0 });
  store.objects.set(name, { ...store.objects.get(name)!, modifiedAt: Date.now() - hourMs - 100_000 });
  expect(await sweep(vault)).toMatchObject({ setAside: 1 });
});

test("a link is signed, short-lived, saves under the name of the upload, and is given only where it is allowed", async () => {
  await using vault = await open();
  const key = await vault.keep(await stage(vault, "a resume"));
  const link = new URL((await vault.link(key, "Résumé \"2026\" 'final'.pdf"))!);
  expect(link.searchParams.get("X-Amz-Expires")).toBe("300");
  expect(link.href).not.toContain(s3Credentials.secretAccessKey);
  const answer = await fetch(link);
  expect(await answer.text()).toBe("a resume");
  expect(answer.headers.get("content-type")).toBe("application/octet-stream");
  expect(answer.headers.get("content-disposition")).toBe(
    "attachment; filename=\"R_sum_ _2026_ 'final'.pdf\"; filename*=UTF-8''R%C3%A9sum%C3%A9%20%222026%22%20%27final%27.pdf",
  );
  expect((await fetch(new URL(link.pathname, link))).status).toBe(403);
  await using without = await open({ links: false });
  expect(await without.link(key, "resume.pdf")).toBeNull();
  await expect(vault.link("../secret", "resume.pdf")).rejects.toThrow(RangeError);
});

describe("credentials and region", () => {
  test("without credentials nothing is kept, and the vault says so", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(base().path, "none"));
    vi.stubEnv("AWS_CONFIG_FILE", join(base().path, "none"));
    await using vault = await open();
    expect(await vault.checkReadiness()).toEqual({
      ready: false,
      reason: "The object store cannot be used: there are no credentials.",
    });
    await expect(vault.link(`2026/01/01/${"a".repeat(32)}`, "a.pdf")).rejects.toThrow("no credentials");
    vi.stubEnv("AWS_ACCESS_KEY_ID", s3Credentials.accessKeyId);
    expect(store.requests).toEqual([]);
  });

  test("a region that no setting names is a mistake of the settings, found at the start", async () => {
    vi.stubEnv("AWS_CONFIG_FILE", join(base().path, "none"));
    await expect(open({ endpoint: null, region: null })).rejects.toMatchObject({
      name: "SettingUnusable",
      problems: [{ name: "S3_REGION" }],
    });
    vi.stubEnv("AWS_REGION", "eu-central-1");
    await using vault = await open({ endpoint: null, region: null });
    expect(readdirSync(vault.stagingFolder)).toEqual([]);
  });
});
