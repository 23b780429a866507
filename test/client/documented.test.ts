// The examples of docs/client.md without the client: the commands work, and the refusal is the service's.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { shared } from "../support/shared.ts";
import { startService } from "../support/service.ts";

const root = join(import.meta.dirname, "../..");
const documented = (await readFile(join(root, "docs/client.md"), "utf8")).split("\n## Without the client\n")[1] ?? "";
const blocks = (language: string) =>
  [...documented.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, text = ""]) => text);

const service = shared(() => startService());

/** A documented text for the service of this test. */
const here = (text: string) => text.replaceAll("http://127.0.0.1:3000", service.url);

test("the commands send one inquiry and one application, however often they are run", async () => {
  const commands = blocks("sh");
  expect(commands).toHaveLength(2);
  for (const command of [...commands, ...commands])
    await promisify(execFile)("sh", ["-c", here(command)], { cwd: root });
  const { inquiries, applications } = await service.stored();
  expect([inquiries.length, applications.length]).toEqual([1, 1]);
  expect(await service.files("resumes")).toHaveLength(1);
});

test("the program sends an application", async () => {
  const [program = ""] = blocks("ts");
  const before = (await service.stored()).applications.length;
  const pdf = join(root, "test/fixtures/documents/files/format-corpus__lorem-ipsum.pdf");
  const scene = `import { openAsBlob } from "node:fs"; const resume = await openAsBlob(${JSON.stringify(pdf)});`;
  const args = ["--input-type=module", "--eval", scene + here(program)];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  const { applications } = await service.stored();
  expect(applications).toHaveLength(before + 1);
  expect([stdout.trim(), stderr]).toEqual([applications.at(-1)?.reference, ""]);
});

test("the refusal is the service's", async () => {
  const [shown = ""] = blocks("json");
  const response = await fetch(`${service.url}/api/newsletter/subscribe`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{ "email": "nobody" }',
  });
  const body = (await response.json()) as { requestId: string };
  expect({ ...(JSON.parse(shown) as object), requestId: body.requestId }).toEqual(body);
});
