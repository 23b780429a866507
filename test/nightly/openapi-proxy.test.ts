// An independent OpenAPI validator (Prism) between a client and the running service.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { buildOpenApiDocument } from "../../server/src/http/openapi/document.ts";
import { applicant, buyer, form, json, pdf } from "../support/doors.ts";
import { openFolder } from "../support/folder.ts";
import { freePort, untilListening } from "../support/free-port.ts";
import { startService } from "../support/service.ts";
import { shared } from "../support/shared.ts";

const prism = fileURLToPath(new URL("node_modules/.bin/prism", import.meta.url));

const opened = shared(async () => {
  const service = await startService();
  const folder = await openFolder();
  const file = join(folder.path, "openapi.json");
  const document = buildOpenApiDocument({ publicUrl: service.url, version: "1.2.3", proofOfWork: false });
  await writeFile(file, JSON.stringify(document));
  const [strict, lenient] = await Promise.all([
    startProxy(file, service.url, []),
    startProxy(file, service.url, ["--validate-request", "false"]),
  ]);
  const all = new AsyncDisposableStack();
  for (const one of [service, folder, strict, lenient]) all.use(one);
  return {
    document,
    /** Holds requests and answers to the document. */
    strict,
    /** Lets every request through and holds the answers to the document. */
    lenient,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
});

const text = (body: string, type: string): RequestInit => ({ body, headers: { "content-type": type } });
const png = () => new File(["\u0089PNG\r\n"], "resume.pdf", { type: "application/pdf" });
const tooLarge = () => new File(["%PDF-1.7\n", "x".repeat(5_242_880)], "resume.pdf", { type: "application/pdf" });

const inquiry = "/api/marketplace/inquiry";
const subscribe = "/api/newsletter/subscribe";
const submit = "/api/applications/submit";

describe("what the document allows is accepted", () => {
  test.each([
    ["an inquiry", inquiry, () => json(buyer)],
    ["a field that is not documented", inquiry, () => json({ ...buyer, extra: true })],
    ["a subscription", subscribe, () => json({ email: "reader@example.org", source: "footer" })],
    ["an application as a multipart form", submit, () => form(applicant)],
    ["an application with a resume", submit, () => form({ ...applicant, resumeFile: pdf() })],
  ])("%s", async (_name, path, init) => {
    const response = await fetch(opened().strict.url + path, { method: "POST", ...init() });
    expect(await response.json()).toMatchObject({ message: exampleOf(path, 200, "accepted")?.message });
    expect(response.status).toBe(200);
    expect(response.headers.get("sl-violations")).toBeNull();
  });

  test.each(["/healthz", "/readyz"])("%s", async (path) => {
    expect((await fetch(opened().strict.url + path)).status).toBe(200);
  });
});

test("the validator does refuse what breaks the document", async () => {
  const response = await fetch(opened().strict.url + inquiry, { method: "POST", ...json({ ...buyer, name: 1 }) });
  expect(response.status).toBe(422);
  expect(await response.text()).toContain("name");
});

describe("what the service refuses is refused in the documented way", () => {
  const unsupported = "UNSUPPORTED_MEDIA_TYPE";
  const large = "PAYLOAD_TOO_LARGE";
  type Refusal = readonly [string, string, () => RequestInit, number, string, issues: number, example?: string];
  // Malformed JSON is missing here: the validator never answers it.
  test.for<Refusal>([
    ["missing fields", inquiry, () => json({}), 400, "BAD_REQUEST", 3],
    ["a name with a link", inquiry, () => json({ ...buyer, name: "www.example.org" }), 400, "BAD_REQUEST", 1],
    ["a bad address", subscribe, () => json({ email: "reader" }), 400, "BAD_REQUEST", 1],
    ["a form without fields", submit, () => form({ other: "x" }), 400, "BAD_REQUEST", 3],
    ["a form that is empty", submit, () => text("", "application/x-www-form-urlencoded"), 400, "PARSE_ERROR", 0],
    ["a list", subscribe, () => json([]), 400, "BAD_REQUEST", 0],
    ["a form cut short", submit, () => text("--b\r\n", "multipart/form-data; boundary=b"), 400, "PARSE_ERROR", 0],
    ["a large body", inquiry, () => json({ ...buyer, extra: "x".repeat(70_000) }), 413, large, 0],
    ["a large field", submit, () => form({ coverLetter: "x".repeat(100_001) }), 413, large, 1, "fieldTooLarge"],
    ["a large resume", submit, () => form({ ...applicant, resumeFile: tooLarge() }), 413, large, 1, "resumeTooLarge"],
    ["another content type", inquiry, () => text("name=x", "text/plain"), 415, unsupported, 0],
    ["an image", submit, () => form({ ...applicant, resumeFile: png() }), 415, unsupported, 1, "resumeKindUnsupported"],
  ])("%s", async ([, path, init, status, code, issues, example]) => {
    const response = await fetch(opened().lenient.url + path, { method: "POST", ...init() });
    const body = (await response.json()) as Shown;
    expect({ status: response.status, code: body.code }).toEqual({ status, code });
    expect(body.issues ?? []).toHaveLength(issues);
    expect(body.requestId).toBe(response.headers.get("x-request-id"));
    expect(response.headers.get("sl-violations")).toBeNull();
    if (example !== undefined) expect({ ...exampleOf(path, status, example), requestId: body.requestId }).toEqual(body);
  });
});

test("no answer had a status that is not documented", () => {
  const { strict, lenient } = opened();
  for (const proxy of [strict, lenient]) {
    expect(proxy.log()).toContain("Prism is listening");
    expect(proxy.log()).not.toMatch(/Violation: response/);
  }
});

interface Shown {
  readonly message?: string;
  readonly code?: string;
  readonly requestId?: string;
  readonly issues?: unknown[];
}

/** What the document shows of an answer. */
const exampleOf = (path: string, status: number, name: string) =>
  opened().document.paths[path]?.["post"]?.responses[status]?.content["application/json"]?.examples?.[name]?.value as
    | Shown
    | undefined;

async function startProxy(file: string, upstream: string, more: readonly string[]) {
  const port = await freePort();
  const child = spawn(process.execPath, [prism, "proxy", file, upstream, "--errors", "--port", String(port), ...more], {
    env: { ...process.env, NO_COLOR: "1" },
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (log += chunk.toString()));
  await untilListening(port, [child], () => log);
  return {
    url: `http://127.0.0.1:${port}`,
    log: () => log,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.kill()) await once(child, "exit");
    },
  };
}
