// A start loads what every service needs. All else comes with the first request or the setting that needs it.
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { addressees } from "../outbox/mail-service.ts";
import { startProcess, type ServiceProcess } from "../support/service-process.ts";

const preload = [fileURLToPath(new URL("preload/tell-loaded.ts", import.meta.url))];

/** What a service with SQLite, a folder for resumes and Postmark needs later or never. */
const late = [
  // Inputs and receipts are checked by zod.
  "node_modules/ajv/",
  "node_modules/@fastify/ajv-compiler/",
  "node_modules/@fastify/fast-json-stringify-compiler/",
  "node_modules/postmark/",
  "node_modules/prom-client/",
  "node_modules/@opentelemetry/",
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

const loadedBy = ({ log }: ServiceProcess): string[] =>
  log.filter((line) => line.includes('"msg":"loaded"')).map((line) => (JSON.parse(line) as { url: string }).url);

test("a start loads nothing that only a later request or another setting needs", async () => {
  const env = {
    ...addressees,
    MAIL_TRANSPORT: "postmark",
    POSTMARK_SERVER_TOKEN: "t",
    POSTMARK_API_URL: "http://127.0.0.1:9",
  };
  await using service = await startProcess(env, { preload });
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  const loaded = loadedBy(service);
  for (const needed of ["node_modules/fastify/", "server/src/http/server.ts"]) {
    expect(loaded.some((url) => url.includes(needed))).toBe(true);
  }
  expect(loaded.filter((url) => late.some((path) => url.includes(path)))).toEqual([]);
  // Packages that require one another are seen too.
  expect((await fetch(`${service.url}/metrics`)).status).toBe(200);
  await expect.poll(() => loadedBy(service).some((url) => url.includes("node_modules/@opentelemetry/"))).toBe(true);
});

test("a start after an install compiles nothing", async () => {
  const folder = await mkdtemp(join(tmpdir(), "submissions-compiled-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const fill = fileURLToPath(new URL("../../deploy/fill-compile-cache.js", import.meta.url));
  await promisify(execFile)(process.execPath, [fill], {
    env: { PATH: dirname(process.execPath), CACHE_DIRECTORY: folder },
  });
  const kept = await readdir(folder, { recursive: true });
  expect(kept.length).toBeGreaterThan(400);

  // As `npm start` does: compiled code is kept apart by V8's options.
  await using service = await startProcess({ CACHE_DIRECTORY: folder, NODE_OPTIONS: "--max-semi-space-size=16" });
  service.child.kill("SIGTERM");
  expect(await service.ended).toBe(0);
  expect(new Set(await readdir(folder, { recursive: true }))).toEqual(new Set(kept));
});
