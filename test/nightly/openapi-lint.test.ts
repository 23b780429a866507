// An independent linter reads the OpenAPI document, and compares every example with its schema.
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildOpenApiDocument } from "../../server/src/http/openapi/document.ts";
import { openFolder } from "../support/folder.ts";
import { finish } from "../support/program.ts";

const here = import.meta.dirname;
const redocly = join(here, "node_modules/@redocly/cli/bin/cli.js");

const document = buildOpenApiDocument({ publicUrl: "https://submissions.test", version: "1.2.3", proofOfWork: false });

async function lint(text: string): Promise<{ code: number | null; output: string }> {
  await using folder = await openFolder();
  const file = join(folder.path, "openapi.json");
  await writeFile(file, text);
  const child = spawn(process.execPath, [redocly, "lint", file, "--config", join(here, "redocly.yaml")], {
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { code, stdout, stderr } = await finish(child);
  return { code, output: stdout + stderr };
}

test("the linter finds nothing", async () => {
  const { code, output } = await lint(JSON.stringify(document));
  expect(output).not.toMatch(/warning|error/i);
  expect(code).toBe(0);
});

test("the linter notices an example that breaks its schema", async () => {
  const { code, output } = await lint(JSON.stringify(document).replaceAll('"INQ-20261121-042137"', '"INQ-1"'));
  expect(code).not.toBe(0);
  expect(output).toContain("no-invalid-media-type-examples");
});
