// The client, installed by its address in a service, by each package manager, beside React 18 or without any. What it
// depends on comes from the public registry.
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import about from "../../client/package.json" with { type: "json" };
import { packAndInstall } from "../support/package/packed.ts";
import { startService } from "../support/service.ts";
import { openFolder } from "../support/folder.ts";
import { shared } from "../support/shared.ts";

const minutes = 60_000;
const bin = (path: string) => join(import.meta.dirname, "node_modules", path);
const byNode = (path: string) => [process.execPath, bin(path)];

const packed = shared(packAndInstall);
const address = `packages/client-${about.version}.tgz`;
const forms = shared(openFolder);
const service = shared(async () => {
  const formsFolder = forms().path;
  await mkdir(join(formsFolder, "packages"));
  await copyFile(packed().tarball, join(formsFolder, address));
  await writeFile(join(formsFolder, "forms.js"), "// Not needed here.\n");
  return startService({ formsFolder });
});

const program = `
  import { createSubmissionsClient } from "@submissions/client";
  import { inquiryInput } from "@submissions/client/schemas";
  const inquiry = inquiryInput.parse({ name: "Ann Buyer", email: process.argv[3], selectedPackageIds: ["de-AT"] });
  const { inquiryId } = await createSubmissionsClient({ url: process.argv[2] }).marketplace.inquiry(inquiry);
  console.log(inquiryId);
`;

const yarnSettings = `nodeLinker: node-modules
enableTelemetry: false
enableGlobalCache: false
unsafeHttpWhitelist: ["127.0.0.1"]
`;

const managers: Readonly<Record<string, { readonly add: readonly string[]; readonly run?: readonly string[] }>> = {
  npm: { add: ["npm", "install", "--no-audit", "--no-fund"] },
  pnpm: { add: [...byNode("pnpm/bin/pnpm.cjs"), "add"] },
  "Yarn 1": { add: [...byNode("yarn-1/bin/yarn.js"), "add"] },
  "Yarn 4": { add: [...byNode("@yarnpkg/cli-dist/bin/yarn.js"), "add"] },
  Bun: { add: [bin("bun/bin/bun.exe"), "add"], run: [bin("bun/bin/bun.exe")] },
  // Deno takes no address of a package; it runs what npm has installed.
  Deno: {
    add: ["npm", "install", "--no-audit", "--no-fund"],
    run: [bin(".bin/deno"), "run", "-A", "--node-modules-dir=manual"],
  },
};

const run = async ([file = "", ...args]: readonly string[], cwd: string) =>
  (await promisify(execFile)(file, args, { cwd, env: { ...process.env, YARN_IGNORE_PATH: "1" } })).stdout.trim();

describe.each(Object.keys(managers))("%s", (name) => {
  test.each([
    ["without React", {}],
    ["beside React 18", { react: "18.3.1", "react-dom": "18.3.1" }],
  ])(
    "installs the client by its address %s, and it sends",
    async (_, dependencies) => {
      const folder = await mkdtemp(join(tmpdir(), "submissions-manager-"));
      try {
        const { add, run: by = [process.execPath] } = managers[name]!;
        await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
        await writeFile(join(folder, "program.mjs"), program);
        if (name === "Yarn 4") {
          await writeFile(join(folder, ".yarnrc.yml"), yarnSettings);
          await writeFile(join(folder, "yarn.lock"), "");
        }
        await run([...add, `@submissions/client@${service().url}/${address}`], folder);
        const reference = await run([...by, "program.mjs", service().url, "managers@example.org"], folder);
        expect(reference).toMatch(/^INQ-/);
        expect((await service().stored()).inquiries.map((stored) => stored.reference)).toContain(reference);
        if ("react" in dependencies) {
          const exports = 'console.log(Object.keys(await import("@submissions/client/react")).join())';
          expect(await run([process.execPath, "--input-type=module", "-e", exports], folder)).toContain("InquiryForm");
          const react = JSON.parse(await readFile(join(folder, "node_modules/react/package.json"), "utf8")) as object;
          expect(react).toMatchObject({ version: "18.3.1" });
        }
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    5 * minutes,
  );
});
