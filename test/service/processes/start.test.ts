// A start loads what every service needs. All else comes with the first request or the setting that needs it.
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished } from "vitest";
import { buyer, doors, json, rest } from "../../support/doors.ts";
import { nightly } from "../../support/many-or-few.ts";
import { addressees } from "../../support/postmark-stand-in.ts";
import { startProcess, type ServiceProcess } from "../../support/service-process.ts";

const preload = [fileURLToPath(new URL("../../support/process/preload/tell-loaded.ts", import.meta.url))];

/** What a service with SQLite, a folder for resumes and Postmark needs later or never. */
const late = [
  // Inputs and receipts are checked by zod.
  "node_modules/ajv/",
  "node_modules/@fastify/ajv-compiler/",
  "node_modules/@fastify/fast-json-stringify-compiler/",
  "node_modules/prom-client/index.js",
  "node_modules/@opentelemetry/",
  "node_modules/zod/v4/locales/de.js",
  "node_modules/yauzl/",
  "node_modules/trpc-to-openapi/",
  "node_modules/altcha-lib/",
  "node_modules/nodemailer/",
  "node_modules/pg/",
  "node_modules/@aws-sdk/",
  "node_modules/openid-client/",
  "server/src/commands/",
  "server/src/console/router.ts",
  "server/src/console/send-downloads.ts",
  "server/src/desk/digest.ts",
  "server/src/http/openapi/document.ts",
  "server/src/http/pages/front-page.ts",
  "server/src/mail/providers/mailbox.ts",
  "server/src/mail/providers/smtp.ts",
  "server/src/resumes/inspect.ts",
  "server/src/resumes/s3.ts",
  "server/src/resumes/scanning.ts",
  "server/src/storage/postgres/",
  "server/src/webhooks/post.ts",
];

const provider = { POSTMARK_SERVER_TOKEN: "t", POSTMARK_API_URL: "http://127.0.0.1:9" };
const postmark = { ...addressees, MAIL_TRANSPORT: "postmark", ...provider };

const loadedBy = ({ log }: ServiceProcess): string[] =>
  log.filter((line) => line.includes('"msg":"loaded"')).map((line) => (JSON.parse(line) as { url: string }).url);

const tracing = (service: ServiceProcess) =>
  loadedBy(service).filter((url) => /\/observe\/(traces|otlp-exporter)\./.test(url));

nightly("a start loads nothing that only a later request or another setting needs", async () => {
  await using service = await startProcess(postmark, { preload });
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  const loaded = loadedBy(service);
  for (const needed of ["node_modules/fastify/", "server/src/http/server.ts"]) {
    expect(loaded.some((url) => url.includes(needed))).toBe(true);
  }
  expect(loaded.filter((url) => late.some((path) => url.includes(path)))).toEqual([]);
  expect((await rest.send(service, "marketplace.inquiry", json(buyer))).status).toBe(200);
  expect(tracing(service)).toEqual([]);
  // Packages that require one another are seen too.
  expect((await fetch(`${service.url}/metrics`)).status).toBe(200);
  await expect.poll(() => loadedBy(service).some((url) => url.includes("node_modules/@opentelemetry/"))).toBe(true);
});

nightly("what traces is loaded where a collector is set, and a collector that is away holds up no end", async () => {
  await using service = await startProcess({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }, { preload });
  expect((await rest.send(service, "marketplace.inquiry", json(buyer))).status).toBe(200);
  service.child.kill("SIGTERM");
  expect(await service.ended).toBe(0);
  expect(tracing(service)).toHaveLength(1);
});

// At night: it starts the service four times.
nightly("what an install leaves spares the first start of compiling", async () => {
  const folder = await mkdtemp(join(tmpdir(), "submissions-compiled-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const cache = { NODE_COMPILE_CACHE: join(folder, "cache") };
  const fill = fileURLToPath(new URL("../../../deploy/fill-compile-cache.js", import.meta.url));
  // What it leaves behind of its own would be beside the cache.
  const env = { PATH: "", TMPDIR: folder, ...cache };
  expect(await promisify(execFile)(process.execPath, [fill], { env })).toEqual({ stdout: "", stderr: "" });
  expect(await readdir(folder)).toEqual(["cache"]);
  const kept = await entriesOf(cache.NODE_COMPILE_CACHE);

  // As `npm start` does: compiled code is kept apart by V8's options.
  await using service = await startProcess({ ...postmark, ...cache, NODE_OPTIONS: "--max-semi-space-size=16" });
  for (const door of doors) expect((await door.send(service, "marketplace.inquiry", json(buyer))).status).toBe(200);
  service.child.kill("SIGTERM");
  expect(await service.ended).toBe(0);
  expect(await entriesOf(cache.NODE_COMPILE_CACHE)).toEqual(kept);
});

async function entriesOf(cache: string): Promise<ReadonlyMap<string, number>> {
  const files = await readdir(cache, { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  expect(paths.length).toBeGreaterThan(400);
  return new Map(await Promise.all(paths.map(async (path) => [path, (await stat(path)).mtimeMs] as const)));
}
