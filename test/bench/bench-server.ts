// One process that holds the service and the hand-written yardstick, each with its own store, so that they share the
// machine, the runtime and its warmth. Answers the parent with its addresses and, when asked, with the CPU it has used.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../server/src/clock.ts";
import type { Deps } from "../../server/src/deps.ts";
import { Draining } from "../../server/src/http/gate/draining.ts";
import { buildHttp } from "../../server/src/http/server.ts";
import { disposableHosts } from "../../server/src/intake/disposable.ts";
import { KeysInFlight } from "../../server/src/intake/keys-in-flight.ts";
import type { Mailer } from "../../server/src/mail/mailer.ts";
import { Outbox } from "../../server/src/mail/outbox.ts";
import { createLog } from "../../server/src/observe/log.ts";
import { createMetrics } from "../../server/src/observe/metrics.ts";
import { openVault } from "../../server/src/resumes/open-vault.ts";
import { openStore } from "../../server/src/storage/open-store.ts";
import { handWritten } from "./hand-written.ts";

// Takes every mail at once: what a provider needs is no matter of this comparison.
const mailer: Mailer = {
  batchMax: 500,
  send: async (mails) => mails.map(({ id }) => ({ result: "taken", providerId: id })),
  [Symbol.asyncDispose]: async () => {},
};

const folder = await mkdtemp(join(tmpdir(), "submissions-bench-"));

async function depsIn(name: string): Promise<Deps> {
  const store = await openStore({ kind: "sqlite", file: join(folder, name, "submissions.sqlite") });
  const vault = await openVault({ kind: "disk", folder: join(folder, name, "resumes") }, systemClock);
  const events = {
    settled: () => {},
    paused: () => {},
    resumed: () => {},
    stumbled: (error: unknown) => console.error(error),
  };
  const outbox = new Outbox({ store, mailer, clock: systemClock, events, deadlineMs: 2000 });
  const mail = {
    brand: "Bench",
    publicUrl: "http://localhost",
    salesTo: ["sales@bench.example"],
    recruitingTo: ["jobs@bench.example"],
  };
  return {
    clock: systemClock,
    store,
    vault,
    outbox,
    keysInFlight: new KeysInFlight(),
    proofOfWork: null,
    isDisposable: disposableHosts([]),
    mail,
    mailCapped: () => {},
    newsletterOptIn: "double",
  };
}

const service = await buildHttp({
  deps: await depsIn("service"),
  // The real log, into the void: its cost belongs to the service.
  log: createLog("info", { write: () => true }),
  metrics: createMetrics(),
  draining: new Draining(),
  corsOrigins: [],
  // Counted as in earnest, but never reached.
  rateLimit: { max: 1_000_000_000, windowSeconds: 60 },
  callCounts: null,
  doors: true,
  trustedProxy: { kind: "none" },
  webhook: null,
  version: "0.0.0",
});
const uploads = join(folder, "uploads");
await mkdir(uploads);
const yardstick = await handWritten(await depsIn("yardstick"), uploads);
const addresses = {
  service: await service.listen({ host: "127.0.0.1", port: 0 }),
  yardstick: await yardstick.listen({ host: "127.0.0.1", port: 0 }),
};

process.on("message", (message) => {
  if (message === "cpu") process.send?.({ cpuMicros: process.cpuUsage().user + process.cpuUsage().system });
  if (message === "end") void rm(folder, { recursive: true, force: true }).then(() => process.exit(0));
});
process.send?.({ addresses });
