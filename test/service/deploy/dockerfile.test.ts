// What makes the image small, pinned and without root is in the text of the Dockerfile and of the script that it runs. Long
// runs build and start it (test/nightly/image.test.ts).
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { read, root, type Document } from "../../support/deploy/read-deploy.ts";

const instructions = read("deploy/Dockerfile")
  .replace(/^#.*\n/gm, "")
  .replace(/\\\n/g, "")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => ({ name: /^[A-Z]+/.exec(line)?.[0] ?? line, text: line.replace(/^[A-Z]+ +/, "") }));

const script = read("deploy/image/build-rootfs.sh");
const all = (name: string) => instructions.filter((one) => one.name === name).map(({ text }) => text);
const lastStage = instructions.slice(instructions.findLastIndex(({ name }) => name === "FROM"));
const inLastStage = (name: string) => lastStage.filter((one) => one.name === name).map(({ text }) => text);
const copies = all("COPY").map((text) => text.split(/ +/));

/** What an exec form holds; throws on the shell form. */
const words = (text: string) => JSON.parse(text) as string[];

const packageOf = (path: string): Document => JSON.parse(read(path));

test("the base is named with its full version, and nothing of it is in the image", () => {
  expect(all("ARG")).toEqual([expect.stringMatching(/^NPM_IMAGE=node:\d+\.\d+\.\d+-\w+-slim$/)]);
  expect(all("FROM")).toEqual(["${NPM_IMAGE} AS rootfs", "scratch AS compiled", "scratch"]);
});

test("nothing is fetched but through npm and Debian's packages", () => {
  expect(all("ADD")).toEqual([]);
  for (const text of [...all("RUN"), script]) expect(text).not.toMatch(/curl|wget|https?:/);
});

test("what it copies exists, and is let into the build", () => {
  const ignore = read("deploy/Dockerfile.dockerignore").split("\n");
  const admitted = ignore.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
  expect(ignore).toContain("*");
  const sources = copies.filter(([first]) => !first?.startsWith("--from")).flatMap((paths) => paths.slice(0, -1));
  expect(sources.length).toBeGreaterThan(5);
  for (const source of sources) {
    expect(existsSync(`${root}/${source}`), source).toBe(true);
    expect(
      admitted.some((path) => source === path || source.startsWith(`${path}/`)),
      source,
    ).toBe(true);
  }
});

test("npm finds every workspace of the lockfile, and the service every workspace that it imports", () => {
  const sources = copies.flatMap((paths) => paths.slice(0, -1));
  for (const workspace of packageOf("package.json").workspaces) {
    expect(sources).toContain(`${workspace}/package.json`);
  }
  const imported = Object.keys(packageOf("server/package.json").dependencies)
    .filter((name) => name.startsWith("@submissions/"))
    .map((name) => name.slice("@submissions/".length));
  const [, copied = ""] = /cp -R --parents (.*) "\$target\/app"/.exec(script) ?? [];
  for (const workspace of ["server", ...imported]) expect(copied.split(" ")).toContain(`${workspace}/src`);
});

test("the optional packages, which the image has, are those that the tests run with", () => {
  const { devDependencies, peerDependencies } = packageOf("server/package.json");
  expect(Object.keys(peerDependencies)).toContain("@aws-sdk/client-s3");
  expect(devDependencies).toMatchObject(peerDependencies);
});

test("the service runs without root, and only /data is its own", () => {
  expect(inLastStage("USER")).toEqual([expect.stringMatching(/^[1-9]\d{3,}:[1-9]\d{3,}$/)]);
  const afterUser = lastStage.slice(lastStage.findIndex(({ name }) => name === "USER"));
  expect(afterUser.map(({ name }) => name)).not.toContain("RUN");
  expect(inLastStage("VOLUME").map(words)).toEqual([["/data"]]);
  expect(inLastStage("ENV")).toContain("SQLITE_TMPDIR=/data");
  for (const text of all("COPY")) expect(text).not.toMatch(/--chown=(?!0:0 )/);
  const [, user] = /^user=(\d+)$/m.exec(script) ?? [];
  expect(inLastStage("USER")).toEqual([`${user}:${user}`]);
  expect(script.match(/-o \$user.*/g)).toEqual(['-o $user -g $user "$target/data"']);
});

test("Node is process 1 and is asked for its health without a shell", () => {
  expect(words(inLastStage("ENTRYPOINT")[0] ?? "")[0]).toBe("node");
  const [file = ""] = words(inLastStage("CMD")[0] ?? "");
  expect(existsSync(`${root}/${file}`)).toBe(true);
  const [health = ""] = inLastStage("HEALTHCHECK");
  expect(words(health.slice(health.indexOf("[")))[0]).toBe("node");
  expect(inLastStage("STOPSIGNAL")).toEqual(["SIGTERM"]);
});

test("the service runs with the options and the modules of `npm start`, and has what an install builds", () => {
  const { prepare, start } = packageOf("package.json").scripts;
  const [options = ""] = /(?<=exec node ).*(?= server\/src\/main\.ts)/.exec(start) ?? [];
  expect(words(inLastStage("ENTRYPOINT")[0] ?? "").slice(1)).toEqual(options.split(" "));
  const builds = (text: string) => Array.from(text.matchAll(/npm run .*?(build:\w+)/g), ([, name]) => name);
  expect(builds(script)).toEqual(builds(prepare));
  expect(builds(packageOf("client/package.json").scripts["build"])).toEqual(builds(prepare));
  expect(builds(script)).toHaveLength(2);
});

test("every step of the script is run: by the Dockerfile, or by a stage of its own", () => {
  const [, steps = ""] = /set -- (.*)$/m.exec(script) ?? [];
  const run = all("RUN").flatMap((text) =>
    (/build-rootfs\.sh \/rootfs (.*)/.exec(text)?.[1] ?? "").split(" ").filter(Boolean),
  );
  expect([...run, "compiled"]).toEqual(steps.split(" "));
});
