// A release, made in a clone of the repository.
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../support/package/packed.ts";

const version = "98.7.6";

test("a release is committed, tagged and written with sums that hold, and is made once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "submissions-release-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const clone = join(folder, "clone");
  const run = async (file: string, args: readonly string[], cwd = clone) =>
    (await promisify(execFile)(file, args, { cwd, maxBuffer: 64 * 1024 * 1024 })).stdout;
  await run("git", ["clone", "--quiet", root, clone], folder);
  for (const setting of ["user.name=Release", "user.email=release@example.org"]) {
    await run("git", ["config", ...setting.split("=")]);
  }
  await run("npm", ["ci", "--ignore-scripts"]);
  const release = () => run("npm", ["run", "--silent", "release", "--", version]);
  expect(await release()).toContain(`Committed and tagged v${version}`);

  expect((await run("git", ["log", "-1", "--format=%s %D"])).trim()).toContain(`release: ${version}`);
  expect(await run("git", ["show", `v${version}:CHANGELOG.md`])).toContain(`\n## ${version} (`);
  expect(await run("git", ["status", "--porcelain"])).toBe("");
  const written = join(clone, "release", version);
  expect((await readdir(written)).toSorted()).toEqual([
    "SHA256SUMS",
    `client-${version}.tgz`,
    "sbom.cdx.json",
    `submissions-${version}.tar.gz`,
  ]);
  expect(await run("sha256sum", ["--check", "SHA256SUMS"], written)).not.toContain("FAILED");
  const sbom = JSON.parse(await readFile(join(written, "sbom.cdx.json"), "utf8")) as { components: { name: string }[] };
  expect(sbom.components.map(({ name }) => name)).toEqual(expect.arrayContaining(["fastify", "postmark"]));
  // The released sources install by their own lockfile.
  await run("tar", ["-xzf", `submissions-${version}.tar.gz`], written);
  const sources = join(written, `submissions-${version}`);
  expect(await run("npm", ["ci", "--ignore-scripts", "--dry-run"], sources)).toContain("added");

  await expect(release()).rejects.toThrow(`The tag v${version} exists.`);
}, 600_000);
