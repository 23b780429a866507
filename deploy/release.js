// `npm run release -- VERSION`: names the version everywhere, closes its part of the changelog, commits and tags it, and
// writes into release/VERSION what is handed out: the sources, the client's package, a bill of materials and checksums.
// Publishes nothing: pushing the tag is a decision of its own.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const [, , version = ""] = process.argv;
const run = (file, ...args) =>
  execFileSync(file, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

const { version: before } = JSON.parse(readFileSync(join(root, "server/package.json"), "utf8"));

/** Why the release cannot be made; undefined: it can. */
function obstacle() {
  if (!/^\d+\.\d+\.\d+$/.test(version)) return "Name a version like 1.2.3: npm run release -- 1.2.3";
  if (run("git", "status", "--porcelain") !== "") return "Commit or stash the changes first.";
  if (run("git", "tag", "--list", `v${version}`) !== "") return `The tag v${version} exists.`;
  if (!readFileSync(join(root, "CHANGELOG.md"), "utf8").includes(" (unreleased)\n")) {
    return "The changelog has no part that is headed (unreleased).";
  }
  return undefined;
}

const problem = obstacle();
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}

/** What names the version: a package, an image or an address. The lockfile follows from the packages. */
const naming = [
  ...["", "shared/", "server/", "client/", "test/"].map((folder) => `${folder}package.json`),
  "deploy/compose.yaml",
  ...readdirSync(join(root, "deploy/kubernetes")).map((name) => `deploy/kubernetes/${name}`),
  "docs/client.md",
  "docs/deploy.md",
];
const whole = new RegExp(`(?<![\\d.])${before.replaceAll(".", "\\.")}(?![\\d.])`);
const ofOurs = /"version":|"@submissions\/|submissions:|newTag:|client-/;
for (const file of naming) {
  const path = join(root, file);
  const lines = readFileSync(path, "utf8").split("\n");
  const named = lines.map((line) => (ofOurs.test(line) ? line.replace(whole, version) : line));
  writeFileSync(path, named.join("\n"));
}
run("npm", "install", "--package-lock-only", "--ignore-scripts");

const changelog = join(root, "CHANGELOG.md");
const day = new Date().toISOString().slice(0, 10);
const closed = readFileSync(changelog, "utf8").replace(/^## .* \(unreleased\)$/m, `## ${version} (${day})`);
writeFileSync(changelog, closed);

run("git", "commit", "--all", "--quiet", "--message", `release: ${version}`);
run("git", "tag", "--annotate", `v${version}`, "--message", `Version ${version}`);

const folder = join(root, "release", version);
if (existsSync(folder)) throw new Error(`${folder} exists.`);
mkdirSync(folder, { recursive: true });
const prefix = `submissions-${version}`;
run(
  "git",
  "archive",
  "--format=tar.gz",
  `--prefix=${prefix}/`,
  "--output",
  join(folder, `${prefix}.tar.gz`),
  `v${version}`,
);
run("npm", "run", "--silent", "build:package", "-w", "client");
copyFileSync(join(root, `client/dist/forms/packages/client-${version}.tgz`), join(folder, `client-${version}.tgz`));
writeFileSync(join(folder, "sbom.cdx.json"), run("npm", "sbom", "--sbom-format", "cyclonedx"));
const digest = (name) =>
  createHash("sha256")
    .update(readFileSync(join(folder, name)))
    .digest("hex");
const sums = readdirSync(folder)
  .toSorted()
  .map((name) => `${digest(name)}  ${name}\n`);
writeFileSync(join(folder, "SHA256SUMS"), sums.join(""));
console.log(`Committed and tagged v${version}; release/${version} has:\n${sums.join("")}`);
