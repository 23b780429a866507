// The service's own doors with nothing behind them: every submission is accepted at once and stored nowhere, to compare what
// lies before the store. Environment: PORT, DATA_DIR.
import { join } from "node:path";
import { systemClock } from "../../../server/src/clock.ts";
import { Draining } from "../../../server/src/http/gate/draining.ts";
import { buildHttp } from "../../../server/src/http/server.ts";
import type { Intake } from "../../../server/src/intake/submit.ts";
import { createLog } from "../../../server/src/observe/log.ts";
import { createMetrics } from "../../../server/src/observe/metrics.ts";
import { openVault } from "../../../server/src/resumes/open-vault.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { References } from "../../../server/src/storage/rules/references.ts";

const { PORT, DATA_DIR = "" } = process.env;
const clock = systemClock;
const log = createLog("warn");
const store = await openStore({ kind: "sqlite", file: join(DATA_DIR, "doors.sqlite") });
const vault = await openVault({ kind: "disk", folder: join(DATA_DIR, "resumes") }, clock);
const references = new References("0".repeat(64));
let counter = 0;

const intake: Intake = {
  clock,
  store: {
    async accept() {
      counter = (counter + 1) % 1_000_000;
      return { result: "accepted", reference: references.format("inquiry", 20260101, counter), mails: [], capped: [] };
    },
    findEarlier: () => Promise.resolve(null),
  },
  vault,
  outbox: {
    lease: () => ({ owner: "bench", until: 0 }),
    deliver: () => Promise.resolve(true),
    imitateDelivery: () => Promise.resolve(true),
  },
  keysInFlight: new Set(),
  keysConfirmed: new Set(),
  proofOfWork: null,
  packageTitles: null,
  newsletterOptIn: "double",
  mailCapped: () => {},
  failedAfterCommit: (error) => log.error({ err: error }, "failed"),
};
const { server } = await buildHttp({
  store,
  vault,
  log,
  brand: "Speech Marketplace",
  publicUrl: () => `http://127.0.0.1:${PORT}`,
  intake,
  metrics: createMetrics(),
  draining: new Draining(),
  traces: null,
  privacy: null,
  hasFrontPage: true,
  packages: [],
  corsOrigins: [],
  trustedProxy: { kind: "hops", count: 1 },
  rateLimit: { max: 1_000_000, windowSeconds: 1 },
  rateLimitStore: null,
  mode: "all",
  postmarkWebhook: null,
  metricsToken: null,
  mailDeadlineMs: 2_000,
  version: "0.0.0",
  formsFolder: DATA_DIR,
});
await server.listen({ host: "127.0.0.1", port: Number(PORT) });
