// The image's file system, built from a clean checkout and run read-only as another user: by the Dockerfile itself with
// Buildah and Podman, and by its script alone in a chroot. The base, which no registry of images is asked for, is made of
// packages of Debian and npm.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, test } from "vitest";
import { read, root } from "../support/deploy/read-deploy.ts";
import { openFolder } from "../support/folder.ts";
import { freePort } from "../support/free-port.ts";
import { run } from "../support/package/packed.ts";
import { finish, type Program } from "../support/program.ts";
import { shared } from "../support/shared.ts";

const minutes = 60_000;
const dockerfile = read("deploy/Dockerfile");
const [, image = "", suite = ""] = /^ARG NPM_IMAGE=(node:\S+-(\w+)-slim)$/m.exec(dockerfile) ?? [];
const node = join(import.meta.dirname, "node_modules/node-of-the-image/bin/node");
const certificates = "etc/ssl/certs/ca-certificates.crt";

const isRoot = process.platform === "linux" && process.getuid?.() === 0;
const has = (...tools: string[]) => isRoot && tools.every((tool) => spawnSync(tool, ["--version"]).status === 0);
const folder = shared(openFolder);
// Podman binds this folder to itself.
afterAll(() => spawnSync("umount", [join(folder().path, "images/overlay")]));

/** The service's program with words, on a folder or a volume that is there for as long as the built thing. */
interface Built {
  begin(words: readonly string[], env: Readonly<Record<string, string>>): Program;
}

const start = (file: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) =>
  spawn(file, args, { env, stdio: ["ignore", "pipe", "pipe"] });

async function checkOut(name: string): Promise<string> {
  const checkout = join(folder().path, name);
  await run("/usr/bin/git", ["clone", "--quiet", root, checkout], root);
  return checkout;
}

async function byDockerfile(): Promise<Built> {
  const checkout = await checkOut("dockerfile");
  const tar = join(folder().path, "base.tar");
  // Not `npm root --global`: that lies beside the Node that runs npm, and the packages' Node brings none.
  const npm = join((await run("npm", ["exec", "--call", 'echo "$npm_execpath"'], checkout)).trim(), "../..");
  const hooks = [
    `cp ${node} "$1/usr/local/bin/node"`,
    `mkdir "$1/usr/local/lib/node_modules" && cp -RL ${npm} "$1/usr/local/lib/node_modules/npm"`,
    'ln -s ../lib/node_modules/npm/bin/npm-cli.js "$1/usr/local/bin/npm"',
    // What this machine trusts, the build trusts.
    `cp /${certificates} "$1/${certificates}" && echo "cafile=/${certificates}" >"$1/usr/local/etc/npmrc"`,
  ].map((hook) => `--customize-hook=${hook}`);
  const packages = ["--variant=minbase", "--include=ca-certificates"];
  await run("/usr/bin/mmdebstrap", [...packages, ...hooks, suite, tar], checkout);

  const store = ["--root", join(folder().path, "images"), "--runroot", join(folder().path, "running")];
  await run("/usr/bin/podman", [...store, "import", tar, `localhost/${image}`], checkout);
  const base = ["--build-arg", `NPM_IMAGE=localhost/${image}`];
  const how = ["--format", "docker", "--isolation", "chroot", "--network", "host"];
  const what = ["-f", "deploy/Dockerfile", "-t", "localhost/submissions:tried", "."];
  await run("/usr/bin/buildah", [...store, "bud", ...how, ...base, ...what], checkout);

  // The documented way to run it. What comes first is for machines without systemd and with limits of their own.
  const limits = ["--ulimit", "nofile=4096:4096", "--ulimit", "nproc=1024:1024"];
  const machine = ["--runtime", "runc", "--network", "host", "--no-healthcheck", ...limits];
  const hardened = [
    "--read-only",
    "--read-only-tmpfs=false",
    "--cap-drop",
    "ALL",
    "--security-opt",
    "no-new-privileges",
  ];
  return {
    begin(words, env) {
      const settings = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
      const options = [...machine, ...hardened, ...settings, "-v", "data:/data"];
      const all = [...store, "run", "--rm", ...options, "localhost/submissions:tried", ...words];
      return start("podman", all);
    },
  };
}

async function byScript(): Promise<Built> {
  const checkout = await checkOut("script");
  const rootfs = join(folder().path, "rootfs");
  await run("/bin/sh", ["deploy/image/build-rootfs.sh", rootfs], checkout);
  // As `docker run --read-only` does, by hand. Each program replaces the one before, so that signals reach Node.
  const enter = `
    mount --bind "$0" "$0"
    mount --rbind /dev "$0/dev"
    mount --rbind /proc "$0/proc"
    mount --bind "$0/data" "$0/data"
    mount -o remount,bind,ro "$0"
    exec setpriv --clear-groups --no-new-privs unshare --root="$0" --wd=/app --setgid=10001 --setuid=10001 "$@"`;
  const last = dockerfile.slice(dockerfile.lastIndexOf("\nFROM"));
  const settings = [...last.matchAll(/^ENV (.*)$/gm)].flatMap(([, pairs = ""]) => pairs.split(" "));
  const [, entry = "[]"] = /^ENTRYPOINT \["node", (.*)\]$/m.exec(last) ?? [];
  const program = ["/usr/local/bin/node", ...(JSON.parse(`[${entry}]`) as string[])];
  return {
    begin(words, env) {
      const all = ["--mount", "sh", "-euc", enter, rootfs, ...program, ...words];
      const { PATH } = process.env;
      const ofImage = Object.fromEntries(settings.map((one) => one.split("=")));
      return start("unshare", all, { ...ofImage, ...env, PATH });
    },
  };
}

describe.each([
  ["the Dockerfile, by Buildah and Podman,", has("mmdebstrap", "buildah", "podman", "runc"), byDockerfile],
  ["its script, in a chroot,", has("unshare", "setpriv", "chroot", "dpkg-deb"), byScript],
])("%s", (_name, isPossible, build) => {
  test.skipIf(!isPossible)(
    "makes a file system in which the service keeps what it takes and changes nothing else",
    async () => {
      const built = await build();
      const env = { HOST: "127.0.0.1", PORT: `${await freePort()}` };
      const url = `http://127.0.0.1:${env.PORT}`;
      const outcome = async (...words: string[]) => {
        const { code, stdout, stderr } = await finish(built.begin(words, env));
        expect(code, stderr).toBe(0);
        return stdout;
      };
      const service = await listening(built.begin(["server/src/main.ts"], env));
      for (const path of ["/healthz", "/readyz", "/", "/console", "/forms.js", "/docs"]) {
        expect((await fetch(url + path)).status, path).toBe(200);
      }
      const { version } = JSON.parse(read("client/package.json")) as { version: string };
      expect((await fetch(`${url}/packages/client-${version}.tgz`)).status).toBe(200);
      const inquiry = { name: "Ann Buyer", email: "ann@example.org", selectedPackageIds: ["de-AT"] };
      const headers = { "content-type": "application/json" };
      const sent = { method: "POST", headers, body: JSON.stringify(inquiry) };
      const response = await fetch(`${url}/api/marketplace/inquiry`, sent);
      const { inquiryId } = (await response.json()) as { inquiryId: string };
      expect(inquiryId).toMatch(/^INQ-/);

      // The image's own question for its health, without a shell.
      const [, health = "[]"] = /^HEALTHCHECK [^]*?CMD (\[.*\])$/m.exec(dockerfile) ?? [];
      await outcome(...(JSON.parse(health) as string[]).slice(1));
      await outcome("server/src/submissions.ts", "backup", "/data/backups");
      const tries = ["/x", "/app/x", "/tmp/x", "/var/cache/submissions/x", "/data/x"];
      const program = `
        const { existsSync, readdirSync, readFileSync, writeFileSync } = require("node:fs");
        const files = (path) => readdirSync(path, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
        const compiled = files(process.env.NODE_COMPILE_CACHE);
        for (const { parentPath, name } of compiled) readFileSync(parentPath + "/" + name);
        const tried = ${JSON.stringify(tries)}.map((path) => {
          try { writeFileSync(path, ""); return "written"; } catch ({ code }) { return code; }
        });
        const isThere = [existsSync("/bin/sh"), compiled.length > 100, files("/data/backups").some(({ name }) => name === "backup.json")];
        console.log(JSON.stringify([process.getuid(), process.getgid(), ...isThere, ...tried]));`;
      const refused = tries.slice(1).map(() => "EROFS");
      const expected = [10_001, 10_001, false, true, true, ...refused, "written"];
      expect(JSON.parse(await outcome("-e", program))).toEqual(expected);

      const ended = once(service, "exit");
      service.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
      const again = await listening(built.begin(["server/src/main.ts"], env));
      expect(await outcome("server/src/submissions.ts", "export", "inquiries")).toContain(inquiryId);
      const endedAgain = once(again, "exit");
      again.kill("SIGTERM");
      await endedAgain;
    },
    30 * minutes,
  );
});

/** Waits until the service takes requests. Rejects with what it wrote when it ends before. */
async function listening(service: Program): Promise<Program> {
  const said: string[] = [];
  service.stderr.on("data", (chunk: Buffer) => said.push(chunk.toString()));
  await new Promise<void>((resolve, reject) => {
    createInterface(service.stdout).on("line", (line) => line.includes('"listening"') && resolve());
    service.once("exit", (code) => reject(new Error(`The service ended with ${code}: ${said.join("")}`)));
  });
  return service;
}
