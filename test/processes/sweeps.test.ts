// Two processes that tidy up the same resumes at the same time.
import { randomUUID } from "node:crypto";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../server/src/storage/open-store.ts";
import { drawKey } from "../../server/src/resumes/vault-key.ts";
import { application, lease, resume } from "../contract/records.ts";
import { sha256, until } from "../crash/crash-site.ts";
import { applicant, form, pdf, rest } from "../support/doors.ts";
import { s3Credentials, S3StandIn } from "../support/s3-stand-in.ts";
import { openSeveral, type Several } from "./several.ts";

const knownFiles = 120;
const orphanedFiles = 40;
const hour = 60 * 60 * 1000;

/** Where resumes are: puts them there as if that was long ago, and tells which there are. */
interface Resumes extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  put(key: string, bytes: Buffer): Promise<void>;
  hashes(): Promise<Map<string, string>>;
}

async function inFolder({ site }: Several): Promise<Resumes> {
  const root = join(site.dataFolder, "resumes");
  const longAgo = new Date(Date.now() - 5 * hour);
  const keys = new Set<string>();
  return {
    env: {},
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
    [Symbol.asyncDispose]: async () => {},
  };
}

async function inBucket(): Promise<Resumes> {
  const s3 = await S3StandIn.open();
  return {
    env: {
      RESUME_STORE: `s3://${s3.bucket}/live`,
      S3_ENDPOINT: s3.endpoint,
      AWS_ACCESS_KEY_ID: s3Credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
    },
    async put(key, bytes) {
      s3.objects.set(`live/${key}`, { bytes, headers: {}, modifiedAt: Date.now() - 5 * hour });
    },
    async hashes() {
      return new Map([...s3.objects].map(([name, { bytes }]) => [name.replace("live/", ""), sha256(bytes)]));
    },
    [Symbol.asyncDispose]: () => s3[Symbol.asyncDispose](),
  };
}

test.each([
  ["a folder", inFolder],
  ["a bucket", inBucket],
] as const)("of %s remove what nobody knows, and nothing that an application has", async (_where, open) => {
  await using several = await openSeveral();
  await using resumes = await open(several);
  const drawn = () => drawKey("2026/11/20");
  const bytes = () => Buffer.from(`%PDF-1.7\n${randomUUID()}`);
  const known = new Map<string, string>();
  {
    await using store = await openStore({ kind: "postgres", url: several.database.url, replicaUrl: null, poolMax: 4 });
    const accept = async (_: unknown, n: number) => {
      const [key, file] = [drawn(), bytes()];
      await resumes.put(key, file);
      await store.acceptApplication(application(n, { resume: { ...resume(n), key } }), [], lease);
      known.set(key, sha256(file));
    };
    await Promise.all(Array.from({ length: knownFiles }, accept));
  }
  for (let n = 0; n < orphanedFiles; n += 1) await resumes.put(drawn(), bytes());

  const services = await several.start(resumes.env, resumes.env);
  const applied = await Promise.all(
    services.map((service) => rest.send(service, "applications.submit", form({ ...applicant, resumeFile: pdf() }))),
  );
  expect(applied.map(({ status }) => status)).toEqual([200, 200]);
  await until(async () => {
    const left = await resumes.hashes();
    return [...left.keys()].filter((key) => !known.has(key)).length <= applied.length;
  });
  const left = await resumes.hashes();
  expect([...known].filter(([key, hash]) => left.get(key) !== hash)).toEqual([]);
  const { applications } = await several.site.contents();
  expect(applications).toHaveLength(knownFiles + applied.length);
  for (const service of services) {
    expect(service.log.filter((line) => /housekeeping failed|left alone/.test(line))).toEqual([]);
  }
});
