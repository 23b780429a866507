// A real S3 store for tests: OpenStack Swift with its s3api, in five processes on free ports of the loopback.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort, untilListening } from "../support/free-port.ts";

const run = promisify(execFile);
const services = ["account", "container", "object"] as const;
const programs = ["memcached", ...services.map((name) => `swift-${name}-server`), "swift-proxy-server"];

export const swiftIsInstalled = programs.every((program) =>
  ["/usr/bin", "/usr/sbin"].some((folder) => existsSync(join(folder, program))),
);

export class SwiftServer implements AsyncDisposable {
  readonly endpoint: string;
  readonly credentials = { accessKeyId: "test:tester", secretAccessKey: "testing" };
  readonly #folder: string;
  readonly #processes: readonly ChildProcess[];

  private constructor(endpoint: string, folder: string, processes: readonly ChildProcess[]) {
    this.endpoint = endpoint;
    this.#folder = folder;
    this.#processes = processes;
  }

  static async open(): Promise<SwiftServer> {
    const folder = await mkdtemp(join(tmpdir(), "swift-"));
    const ports: number[] = [];
    while (ports.length < services.length + 2) ports.push(await freePort());
    const [proxyPort = 0, cachePort = 0, ...servicePorts] = ports;
    await mkdir(join(folder, "device"));
    await makeRings(folder, servicePorts);
    for (const [index, service] of services.entries()) {
      await writeFile(join(folder, `${service}.conf`), serviceSettings(folder, service, servicePorts[index] ?? 0));
    }
    await writeFile(join(folder, "proxy.conf"), proxySettings(folder, proxyPort, cachePort));
    const start = (program: string, ...words: string[]) => spawn(program, words, { stdio: "ignore" });
    const user = userInfo().username;
    const processes = [
      start("memcached", "-u", user, "-l", "127.0.0.1", "-p", String(cachePort), "-m", "16"),
      ...[...services, "proxy"].map((name) => start(`swift-${name}-server`, join(folder, `${name}.conf`))),
    ];
    const server = new SwiftServer(`http://127.0.0.1:${proxyPort}`, folder, processes);
    await Promise.all(ports.map((port) => untilListening(port, processes)));
    return server;
  }

  async native(method: string, path: string): Promise<Response> {
    const { accessKeyId: user, secretAccessKey: key } = this.credentials;
    const headers = { "x-auth-user": user, "x-auth-key": key };
    const login = await fetch(`${this.endpoint}/auth/v1.0`, { headers });
    const token = login.headers.get("x-auth-token") ?? "";
    return fetch(`${this.endpoint}/v1/AUTH_test/${path}`, { method, headers: { "x-auth-token": token } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#processes.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
      }),
    );
    await rm(this.#folder, { recursive: true, force: true });
  }
}

// What is common to all: every worker in the one process, and patience with a busy machine.
const common = (folder: string, port: number) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
user = ${userInfo().username}
swift_dir = ${folder}
devices = ${folder}
mount_check = false
workers = 0
`;

// All rings at once: Python takes most of a second to bring Swift in.
const ringMaker = `
import sys
from swift.common.ring import RingBuilder
for name, port in (word.split(":") for word in sys.argv[2:]):
    builder = RingBuilder(4, 1, 0)
    place = {"ip": "127.0.0.1", "port": int(port), "replication_ip": "127.0.0.1", "replication_port": int(port)}
    builder.add_dev({"region": 1, "zone": 1, "weight": 1, "device": "device", "meta": "", **place})
    builder.rebalance()
    builder.get_ring().save(f"{sys.argv[1]}/{name}.ring.gz")
`;

async function makeRings(folder: string, ports: readonly number[]): Promise<void> {
  const words = services.map((service, index) => `${service}:${ports[index]}`);
  await run("/usr/bin/python3", ["-c", ringMaker, folder, ...words]);
}

const serviceSettings = (folder: string, service: (typeof services)[number], port: number) => `${common(folder, port)}
[pipeline:main]
pipeline = ${service}-server
[app:${service}-server]
use = egg:swift#${service}
container_update_timeout = 60
`;

const proxySettings = (folder: string, port: number, cachePort: number) => `${common(folder, port)}
[pipeline:main]
pipeline = catch_errors gatekeeper cache listing_formats s3api tempauth copy versioned_writes dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
node_timeout = 60
conn_timeout = 10
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cachePort}
connect_timeout = 30
pool_timeout = 30
io_timeout = 30
[filter:s3api]
use = egg:swift#s3api
allow_multipart_uploads = false
# Few, so that a handful of objects are several pages.
max_bucket_listing = 50
# Tests put the time of its answers forward, and the SDK believes it.
allowable_clock_skew = 10000000
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
${["catch_errors", "gatekeeper", "listing_formats", "copy", "versioned_writes", "dlo"]
  .map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n`)
  .join("")}`;
