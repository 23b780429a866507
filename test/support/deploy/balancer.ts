// HAProxy, nginx or Caddy with the file of deploy/, and processes behind it that behave as a test wants.
import { spawn, spawnSync } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { buffer } from "node:stream/consumers";
import { join } from "node:path";
import { read, root } from "./read-deploy.ts";
import { freePort, untilListening } from "../free-port.ts";
import { listening } from "../listening.ts";

export type Kind = "haproxy" | "nginx" | "caddy";

const runs = (program: string, word: string) => spawnSync(program, [word]).error === undefined;

export const isThere = (kind: Kind): boolean => runs(kind, "-v") && runs("openssl", "version");

export interface Seen {
  readonly url: string;
  readonly forwardedFor: string | undefined;
}

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

export const answers =
  (status: number): Behaviour =>
  (_request, response) =>
    void response.writeHead(status).end();

export const breaksOff: Behaviour = (incoming) => {
  incoming.resume().once("end", () => incoming.socket.destroy());
};

export const hangs: Behaviour = () => {};

export async function startUpstream(behave: Behaviour, ready = 200) {
  const seen: Seen[] = [];
  const checks = new EventEmitter();
  const upstream = await listening((incoming, response) => {
    if (incoming.url === "/readyz" && incoming.headers.host === "health.invalid") {
      checks.emit("checked");
      response.writeHead(ready).end();
      return;
    }
    seen.push({ url: incoming.url ?? "", forwardedFor: incoming.headers["x-forwarded-for"]?.toString() });
    behave(incoming, response);
  });
  return Object.assign(upstream, {
    seen,
    /** Resolves when the balancer has asked `/readyz` this often from now on. */
    async checked(times: number) {
      for (let time = 0; time < times; time += 1) await once(checks, "checked");
    },
  });
}

interface Question {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: Uint8Array | string;
}

export type Balancer = Awaited<ReturnType<typeof startBalancer>>;

/** Lets a test be any client. */
const clientIsNamed = "set_real_ip_from 127.0.0.1; real_ip_header X-Test-Client;";

const files: Record<Kind, string> = {
  haproxy: "deploy/haproxy/haproxy.cfg",
  nginx: "deploy/nginx/submissions.conf",
  caddy: "deploy/caddy/Caddyfile",
};

/** Caddy would fetch a certificate, and listen at two more ports: for redirects to HTTPS and for its own API. */
const caddyAlone = "{\n  admin off\n  auto_https disable_redirects\n  default_sni localhost";
const caddyHere = (folder: string, port: number) =>
  `:${port} {\n  tls ${folder}/fullchain.pem ${folder}/privkey.pem\n  log`;

function prepare(kind: Kind, folder: string, port: number, ports: readonly number[]): string {
  const certificate = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost";
  const into = ["-keyout", join(folder, "privkey.pem"), "-out", join(folder, "fullchain.pem")];
  const made = spawnSync("openssl", [...certificate.split(" "), ...into], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(made.stderr);
  spawnSync("sh", ["-c", "cat fullchain.pem privkey.pem > submissions.pem"], { cwd: folder });
  let server = 0;
  const text = read(files[kind])
    .replace(/^\{$/m, caddyAlone)
    .replace("submissions.example.org {", caddyHere(folder, port))
    .replaceAll("/var/log/nginx/", `${folder}/`)
    .replaceAll("/etc/ssl/submissions/", `${folder}/`)
    .replaceAll("/run/haproxy/", `${folder}/`)
    .replace(/(listen |bind :)443/, `$1${port}`)
    // Needs more open files than a test may have.
    .replace("maxconn 20000", "maxconn 200")
    // On a busy machine the processes, which are of this one, may not answer for seconds.
    .replace("timeout check 2s", "timeout check 1m")
    .replace(/(?:10\.0\.0\.1[123]|127\.0\.0\.1):3000/g, () => `127.0.0.1:${ports[server++ % ports.length]}`);
  const file = join(folder, kind);
  writeFileSync(file, text);
  if (kind !== "nginx") return file;
  const outer = join(folder, "nginx.conf");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(
    outer,
    `user root; daemon off; pid ${folder}/pid; error_log stderr;\nevents {}\nhttp { access_log off; ${temporary.join(" ")} ${clientIsNamed} include ${file}; }\n`,
  );
  return outer;
}

const words: Record<Kind, (file: string) => { check: string[]; run: string[] }> = {
  haproxy: (file) => ({ check: ["-c", "-f", file], run: ["-db", "-f", file] }),
  nginx: (file) => ({ check: ["-t", "-e", "stderr", "-c", file], run: ["-e", "stderr", "-c", file] }),
  // What is changed for tests has warnings of its own.
  caddy: (file) => ({
    check: ["validate", "--adapter", "caddyfile", "--config", join(root, files.caddy)],
    run: ["run", "--adapter", "caddyfile", "--config", file],
  }),
};

/** Caddy keeps certificates and the last configuration below the home folder. */
const homeIn = (folder: string) => ({ ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder });

export function check(kind: Kind): { readonly status: number | null; readonly output: string } {
  const folder = mkdtempSync(join(tmpdir(), "submissions-balancer-"));
  try {
    const { check: asked } = words[kind](prepare(kind, folder, 4443, [3000]));
    const { status, stderr, stdout } = spawnSync(kind, asked, { encoding: "utf8", env: homeIn(folder) });
    return { status, output: `${stdout}${stderr}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function startBalancer(kind: Kind, ports: readonly number[]) {
  const folder = mkdtempSync(join(tmpdir(), "submissions-balancer-"));
  const port = await freePort();
  const child = spawn(kind, words[kind](prepare(kind, folder, port, ports)).run, {
    stdio: ["ignore", "pipe", "pipe"],
    env: homeIn(folder),
  });
  let complaints = "";
  for (const output of [child.stdout, child.stderr])
    output.on("data", (piece: Buffer) => (complaints += piece.toString()));
  const ended = once(child, "exit");
  await untilListening(port, [child], () => complaints);
  const answer = (path: string, { method = "POST", headers = {}, body = "{}" }: Question = {}) =>
    new Promise<Response>((resolve, reject) => {
      const target = { host: "127.0.0.1", port, path, method, headers, rejectUnauthorized: false, agent: false };
      const asking = request(target, (response) => {
        const { statusCode: status = 0, headers: answered } = response;
        buffer(response).then(
          (bytes) => resolve(new Response(bytes, { status, headers: new Headers(answered as Record<string, string>) })),
          reject,
        );
      });
      asking.once("error", reject).end(method === "POST" ? body : undefined);
    });
  return {
    port,
    answer,
    /** What it has written of requests and errors. */
    log: () => complaints + (kind === "nginx" ? readFileSync(join(folder, "access.log"), "utf8") : ""),
    ask: async (path: string, question?: Question) => (await answer(path, question)).status,
    /** `fetch`, for addresses of any host. */
    async fetch(url: string | URL | Request, init?: RequestInit) {
      const asked = new Request(url, init);
      const { pathname, search } = new URL(asked.url);
      const body = Buffer.from(await asked.arrayBuffer());
      const headers = { ...Object.fromEntries(asked.headers), "content-length": `${body.length}` };
      return answer(pathname + search, { headers, body });
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
