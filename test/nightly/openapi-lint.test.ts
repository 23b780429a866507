// An independent linter reads the OpenAPI document, and compares every example with its schema.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { buildOpenApiDocument } from "../../server/src/http/openapi/document.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const redocly = join(here, "node_modules/@redocly/cli/bin/cli.js");

const document = buildOpenApiDocument({ publicUrl: "https://submissions.test", version: "1.2.3", proofOfWork: false });

async function lint(text: string): Promise<{ code: number | null; output: string }> {
  const folder = await mkdtemp(join(tmpdir(), "openapi-"));
  try {
    const file = join(folder, "openapi.json");
    await writeFile(file, text);
    const child = spawn(process.execPath, [redocly, "lint", file, "--config", join(here, "redocly.yaml")], {
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    const code = await new Promise<number | null>((resolve) => {
      child.once("close", resolve);
    });
    return { code, output };
  } finally {
    await rm(folder, { recursive: true });
  }
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
