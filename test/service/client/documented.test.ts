// The examples of the documentation for callers without the client.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { anew } from "../../support/shared.ts";
import { startService } from "../../support/service.ts";

const root = join(import.meta.dirname, "../../..");
const blocks = async (page: string, language: string) => {
  const documented = await readFile(join(root, "docs", page), "utf8");
  const fenced = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm");
  return [...documented.matchAll(fenced)].map(([, text = ""]) => text);
};

const service = anew(() => startService());

const here = (text: string) => text.replaceAll("http://127.0.0.1:3000", service().url);

test("the commands send one inquiry and one application, however often they are run", async () => {
  const commands = await blocks("api.md", "sh");
  expect(commands).toHaveLength(2);
  for (const command of [...commands, ...commands])
    await promisify(execFile)("sh", ["-c", here(command)], { cwd: root });
  const { inquiries, applications } = await service().stored();
  expect([inquiries.length, applications.length]).toEqual([1, 1]);
  expect(await service().files("resumes")).toHaveLength(1);
});

test("the program sends an application", async () => {
  const [program = ""] = await blocks("existing-front-end.md", "js");
  const pdf = join(root, "test/fixtures/documents/files/format-corpus__lorem-ipsum.pdf");
  const scene = `import { openAsBlob } from "node:fs"; const resume = await openAsBlob(${JSON.stringify(pdf)});`;
  const args = ["--input-type=module", "--eval", scene + here(program)];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  const { applications } = await service().stored();
  expect([[stdout.trim()], stderr]).toEqual([applications.map(({ reference }) => reference), ""]);
});

test("the refusal is the service's", async () => {
  const [shown = ""] = await blocks("errors.md", "json");
  const response = await fetch(`${service().url}/api/newsletter/subscribe`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{ "email": "nobody" }',
  });
  const body = (await response.json()) as { requestId: string };
  expect({ ...(JSON.parse(shown) as object), requestId: body.requestId }).toEqual(body);
});
