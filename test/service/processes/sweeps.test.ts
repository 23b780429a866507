// Two services on one database that sweep the same resumes at the same time.
import { randomUUID } from "node:crypto";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { drawKey } from "../../../server/src/resumes/vault.ts";
import { accept, application, resume } from "../../contract/records.ts";
import { sha256 } from "../../support/crash/crash-site.ts";
import { applicant, form, pdf, rest } from "../../support/doors.ts";
import { s3Credentials, S3StandIn } from "../../support/s3-stand-in.ts";
import { keptLog } from "../../support/kept-log.ts";
import { until } from "../../support/service-process.ts";
import { startService } from "../../support/service.ts";
import { openSeveral, type Several } from "../../support/processes/several.ts";

const knownFiles = 120;
/** As few as crashes leave. More would be a sign of a restored database, and left alone. */
const orphanedFiles = 8;
const hour = 60 * 60 * 1000;

/** Where resumes are: puts them there as if that was long ago, and tells which there are. */
interface Resumes extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  /** Whether it belongs to a database. */
  isPaired(): Promise<boolean>;
  put(key: string, bytes: Buffer): Promise<void>;
  hashes(): Promise<Map<string, string>>;
  /** The keys of those that were set aside. */
  setAside(): Promise<string[]>;
}

async function inFolder({ site }: Several): Promise<Resumes> {
  const root = join(site.dataFolder, "resumes");
  const longAgo = new Date(Date.now() - 5 * hour);
  const keys = new Set<string>();
  return {
    env: {},
    isPaired: async () => (await readdir(join(root, ".identity")).catch(() => [])).length > 0,
    async put(key, bytes) {
      await mkdir(dirname(join(root, key)), { recursive: true });
      await writeFile(join(root, key), bytes);
      await utimes(join(root, key), longAgo, longAgo);
      keys.add(key);
    },
    async hashes() {
      const found = await Promise.all([...keys].map(async (key) => [key, await site.hashOf(key)] as const));
      return new Map(found.flatMap(([key, hash]) => (hash === null ? [] : [[key, hash]])));
    },
    async setAside() {
      const entries = await readdir(join(root, "set-aside"), { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

async function inBucket(): Promise<Resumes> {
  const s3 = await S3StandIn.open();
  return {
    env: {
      RESUME_STORE: `s3://${s3.bucket}/live`,
      S3_ENDPOINT: s3.url,
      AWS_ACCESS_KEY_ID: s3Credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
    },
    isPaired: async () => s3.objects.has("live/.identity"),
    async put(key, bytes) {
      s3.objects.set(`live/${key}`, { bytes, headers: {}, modifiedAt: Date.now() - 5 * hour });
    },
    async hashes() {
      return new Map([...s3.objects].map(([name, { bytes }]) => [name.replace("live/", ""), sha256(bytes)]));
    },
    async setAside() {
      const names = [...s3.objects.keys()].filter((name) => name.startsWith("live/set-aside/"));
      return names.map((name) => name.split("/").at(-1) ?? "");
    },
    [Symbol.asyncDispose]: () => s3[Symbol.asyncDispose](),
  };
}

afterEach(() => vi.unstubAllEnvs());

test.each([
  ["a folder", inFolder],
  ["a bucket", inBucket],
] as const)("of %s set aside what no application has, once, and leave alone what one has", async (_where, open) => {
  await using several = await openSeveral();
  await using resumes = await open(several);
  // The bucket's SDK reads the environment of this process.
  for (const [name, value] of Object.entries(resumes.env)) vi.stubEnv(name, value);
  const env = { ...resumes.env, DATA_DIR: several.site.dataFolder, DATABASE_URL: several.database.url };
  {
    // The first sweep pairs the vault with the database while it is empty.
    await using _first = await startService({ env });
    await until(resumes.isPaired);
  }

  const drawn = () => drawKey(Date.now());
  const bytes = () => Buffer.from(`%PDF-1.7\n${randomUUID()}`);
  const known = new Map<string, string>();
  {
    await using store = await openStore({ kind: "postgres", url: several.database.url, replicaUrl: null, poolMax: 4 });
    const apply = async (_: unknown, n: number) => {
      const [key, file] = [drawn(), bytes()];
      await resumes.put(key, file);
      await accept(store, application(n, { resume: { ...resume(n), key } }));
      known.set(key, sha256(file));
    };
    await Promise.all(Array.from({ length: knownFiles }, apply));
  }
  const orphans = Array.from({ length: orphanedFiles }, drawn);
  for (const key of orphans) await resumes.put(key, bytes());

  const { log, lines } = keptLog();
  await using one = await startService({ env, log });
  await using other = await startService({ env, log });
  const services = [one, other];
  const applied = await Promise.all(
    services.map((service) => rest.send(service, "applications.submit", form({ ...applicant, resumeFile: pdf() }))),
  );
  expect(applied.map(({ status }) => status)).toEqual([200, 200]);
  await until(async () => {
    const left = await resumes.hashes();
    return orphans.every((key) => !left.has(key));
  });
  const left = await resumes.hashes();
  expect([...known].filter(([key, hash]) => left.get(key) !== hash)).toEqual([]);
  const setAside = await resumes.setAside();
  expect(setAside).toHaveLength(orphans.length);
  expect(new Set(setAside)).toEqual(new Set(orphans.map((key) => key.split("/").at(-1))));
  const { applications } = await several.site.contents();
  expect(applications).toHaveLength(knownFiles + applied.length);
  // On a busy machine a service soon gives up forgetting old counts of calls. That is no part of a sweep.
  const told = lines.map((line) => JSON.stringify(line)).filter((line) => !line.includes("counts of calls"));
  expect(told.filter((line) => /housekeeping failed|left alone/.test(line))).toEqual([]);
});
