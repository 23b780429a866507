// The files for Kubernetes and Compose, held against the schemas that these publish.
import { spawnSync } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesOf, read, readYaml, type Document } from "../support/deploy/read-deploy.ts";
import { openFolder } from "../support/folder.ts";
import { run } from "../support/package/packed.ts";

const here = import.meta.dirname;

const manifests = filesOf("kubernetes/*.yaml")
  .flatMap((file) => readYaml(file))
  .filter(({ kind }) => kind !== "Kustomization");

/** The schemas allow properties that they do not know; the types that are made of them do not. */
async function holdAgainstSchemas(documents: readonly Document[]): Promise<void> {
  await using folder = await openFolder();
  await symlink(join(here, "node_modules"), join(folder.path, "node_modules"));
  const checks = documents.map(({ apiVersion, kind, ...rest }, at) => {
    const imported = `import { ${kind} as Kind${at} } from "kubernetes-models/${apiVersion}/${kind}";`;
    return `${imported}\nnew Kind${at}(${JSON.stringify(rest)}).validate();`;
  });
  await writeFile(join(folder.path, "checks.mts"), checks.join("\n"));
  const compilerOptions = { module: "nodenext", target: "es2022", types: [], skipLibCheck: true, noEmit: true };
  const config = join(folder.path, "tsconfig.json");
  await writeFile(config, JSON.stringify({ compilerOptions, files: ["checks.mts"] }));
  await run("tsc", ["-p", config], folder.path);
  await run(process.execPath, ["--no-warnings", "checks.mts"], folder.path);
}

test("Kubernetes' schemas and types know every manifest, and no misspelt or mistyped property", async () => {
  expect(manifests.length).toBeGreaterThan(8);
  await holdAgainstSchemas(manifests);
  const [deployment] = manifests.filter(({ kind }) => kind === "Deployment");
  const misspelt = { ...deployment, spec: { ...deployment.spec, replicaz: 3 } };
  await expect(holdAgainstSchemas([misspelt])).rejects.toThrow("replicaz");
  const mistyped = { ...deployment, spec: { ...deployment.spec, replicas: 1.5 } };
  await expect(holdAgainstSchemas([mistyped])).rejects.toThrow("data/spec/replicas must be integer");
});

test("Compose's schema knows the Compose file, and no misspelt property", async () => {
  await using folder = await openFolder();
  const file = join(folder.path, "compose.yaml");
  const check = async (text: string) => {
    await writeFile(file, text);
    const tool = join(here, "node_modules/dclint/bin/dclint.cjs");
    // Its opinions on the order of keys are warnings.
    return spawnSync(process.execPath, [tool, file], { cwd: folder.path, encoding: "utf8" });
  };
  const text = read("deploy/compose.yaml");
  const { status, stdout } = await check(text);
  expect([status, stdout]).toEqual([0, expect.stringContaining("(0 errors, ")]);
  expect((await check(text.replace("stop_signal", "stop_signl"))).stdout).toContain("invalid-schema");
});
