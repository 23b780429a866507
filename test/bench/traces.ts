// `node -C @submissions/source test/bench/traces.ts`: what traces cost, in CPU for each inquiry. The service that traces
// nothing runs twice, so that the difference between the two is the noise of the machine. Arguments: rounds (9),
// milliseconds a round (2000), and the folder of another checkout, whose service is then measured beside them.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CollectorStandIn } from "../support/collector-stand-in.ts";
import { Processes } from "./processes.ts";
import { load, wire } from "./raw-client.ts";

const rounds = Number(process.argv[2] ?? 9);
const roundMs = Number(process.argv[3] ?? 2_000);
const settleMs = 500;
const here = resolve(import.meta.dirname, "../..");
const other = process.argv[4];

const folder = await mkdtemp(join(tmpdir(), "submissions-bench-"));
await using collector = await CollectorStandIn.open();
await using processes = new Processes();
const provider = await processes.start(1, ["-C", "@submissions/source", join(here, "test/bench/provider.ts")], {});

async function start(checkout: string, more: Readonly<Record<string, string>> = {}) {
  const env = {
    DATA_DIR: await mkdtemp(join(folder, "data-")),
    LOG_LEVEL: "warn",
    RATE_LIMIT_MAX: "1000000",
    RATE_LIMIT_WINDOW_SECONDS: "1",
    MAIL_TRANSPORT: "postmark",
    POSTMARK_SERVER_TOKEN: "server-token",
    POSTMARK_API_URL: provider.url,
    MAIL_FROM: "desk@marketplace.example",
    SALES_EMAIL: "sales@marketplace.example",
    RECRUITING_EMAIL: "recruiting@marketplace.example",
    ...more,
  };
  return processes.start(0, ["-C", "@submissions/source", join(checkout, "server/src/main.ts")], env);
}

const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
const services = {
  untraced: await start(here),
  "untraced again": await start(here),
  ...(other === undefined ? {} : { "other checkout": await start(resolve(other)) }),
  "one in twenty traced": await start(here, { ...tracing, OTEL_TRACES_SAMPLER_ARG: "0.05" }),
  "all traced": await start(here, tracing),
};

let people = 0;
const inquiry = () =>
  Buffer.from(
    JSON.stringify({
      name: "Ada Nakamura",
      email: `ada${process.pid}-${(people += 1)}@voicelabs.example`,
      selectedPackageIds: ["en-in-telephony"],
    }),
  );

/** Microseconds of CPU for each inquiry. */
async function sample({ url, used }: (typeof services)["untraced"]): Promise<number> {
  const before = used().cpuMicros;
  const request = () => wire(url, "/api/marketplace/inquiry", "application/json", inquiry());
  const answers = await load({ url, request, clients: 32, ms: roundMs });
  // Mails and spans of the last answers belong to this sample, and not to the next one.
  await pause(settleMs);
  // The stand-in remembers every span.
  collector.exports.length = 0;
  return (used().cpuMicros - before) / answers;
}

const names = Object.keys(services) as (keyof typeof services)[];
const samples = new Map<string, number[]>(names.map((name) => [name, []]));
const running = (name: keyof typeof services) => services[name] ?? services.untraced;
for (const name of names) await sample(running(name));
for (let round = 0; round < rounds; round += 1) {
  // Each begins in its turn, so that neither a drift of the machine nor a neighbour favours any.
  const first = round % names.length;
  for (const name of [...names.slice(first), ...names.slice(0, first)])
    samples.get(name)?.push(await sample(running(name)));
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const base = samples.get("untraced") ?? [];
for (const name of names) {
  const values = samples.get(name) ?? [];
  const ratio = median(values.map((value, round) => value / (base[round] ?? Number.NaN)));
  console.log(`${name.padEnd(21)} ${median(values).toFixed(1).padStart(6)} µs, × ${ratio.toFixed(3)}`);
}
await rm(folder, { recursive: true, force: true });
