// `npm run bench`: the service beside a hand-written yardstick that does the same work, each in a process of its own on the
// same core, paired and alternating. Ratios are medians of the rounds; absolute figures are of this machine at this
// moment. Arguments: rounds (5), milliseconds a round (3000).
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Processes, type Measured } from "./processes.ts";
import { load, wire } from "./raw-client.ts";

const rounds = Number(process.argv[2] ?? 5);
const roundMs = Number(process.argv[3] ?? 3_000);
const program = (path: string) => ["-C", "@submissions/source", fileURLToPath(new URL(path, import.meta.url))];

const folder = await mkdtemp(join(tmpdir(), "submissions-bench-"));
await using processes = new Processes();
const provider = await processes.start(1, program("provider.ts"), {});
const data = async (name: string) => ({ DATA_DIR: await mkdtemp(join(folder, name)), POSTMARK_API_URL: provider.url });
const yardstick = await processes.start(0, program("yardstick.ts"), await data("yardstick-"));
const service = await processes.start(0, program("../../server/src/main.ts"), {
  ...(await data("service-")),
  LOG_LEVEL: process.env["LOG_LEVEL"] ?? "warn",
  RATE_LIMIT_MAX: "1000000",
  RATE_LIMIT_WINDOW_SECONDS: "1",
  MAIL_TRANSPORT: "postmark",
  POSTMARK_SERVER_TOKEN: "server-token",
  MAIL_FROM: "desk@marketplace.example",
  SALES_EMAIL: "sales@marketplace.example",
  RECRUITING_EMAIL: "recruiting@marketplace.example",
});
const idle = service.used().residentMb;

let people = 0;
const json = () =>
  Buffer.from(
    JSON.stringify({
      name: "Ada Nakamura",
      company: "Voice Labs Ltd",
      email: `ada${process.pid}-${(people += 1)}@voicelabs.example`,
      selectedPackageIds: ["en-in-telephony", "es-mx-studio"],
    }),
  );

function multipart(): Buffer {
  const fields = { fullName: "Ana Souza", email: `ana${(people += 1)}@example.org`, position: "Annotator" };
  const text = Object.entries(fields)
    .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join("");
  const head = `${text}--b\r\nContent-Disposition: form-data; name="resumeFile"; filename="r.pdf"\r\nContent-Type: application/pdf\r\n\r\n`;
  const pdf = Buffer.alloc(4_900_000, " ");
  pdf.write("%PDF-1.7\n");
  pdf.write("startxref\n0\n%%EOF\n", pdf.length - 20);
  return Buffer.concat([Buffer.from(head), pdf, Buffer.from("\r\n--b--\r\n")]);
}

const form = "multipart/form-data; boundary=b";

interface Variant {
  readonly of: Measured;
  readonly request: () => Buffer;
}

const variants = {
  yardstick: { of: yardstick, request: () => wire(yardstick.url, "/inquiry", "application/json", json()) },
  rest: { of: service, request: () => wire(service.url, "/api/marketplace/inquiry", "application/json", json()) },
  typed: { of: service, request: () => wire(service.url, "/trpc/marketplace.inquiry", "application/json", json()) },
  "yardstick upload": { of: yardstick, request: () => wire(yardstick.url, "/upload", form, multipart()) },
  upload: { of: service, request: () => wire(service.url, "/api/applications/submit", form, multipart()) },
} satisfies Readonly<Record<string, Variant>>;
type Name = keyof typeof variants;

interface Sample {
  readonly perSecond: number;
  readonly cpuMicros: number;
  readonly writtenKb: number;
}

async function sample(name: Name, clients: number): Promise<Sample> {
  const { of, request } = variants[name];
  const before = of.used();
  const begun = performance.now();
  const answers = await load({ url: of.url, request, clients, ms: roundMs });
  const seconds = (performance.now() - begun) / 1000;
  const after = of.used();
  return {
    perSecond: answers / seconds,
    cpuMicros: (after.cpuMicros - before.cpuMicros) / answers,
    writtenKb: (after.writtenBytes - before.writtenBytes) / answers / 1024,
  };
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function compare([first, ...others]: readonly [Name, ...Name[]], clients: number): Promise<void> {
  const names = [first, ...others];
  const samples = new Map<Name, Sample[]>(names.map((name) => [name, []]));
  for (const name of names) await sample(name, clients);
  for (let round = 0; round < rounds; round += 1) {
    // Forwards and backwards in turn, so that a drift of the machine favours neither.
    for (const name of round % 2 === 0 ? names : names.toReversed())
      samples.get(name)?.push(await sample(name, clients));
  }
  console.log(`\n${clients} clients, ${rounds} rounds of ${roundMs} ms`);
  for (const name of names) {
    const of = (figure: keyof Sample) => (samples.get(name) ?? []).map((one) => one[figure]);
    const ratio = (figure: keyof Sample) =>
      median(of(figure).map((value, round) => value / (samples.get(first)?.[round]?.[figure] ?? Number.NaN))).toFixed(
        2,
      );
    console.log(
      `${name.padEnd(17)}${median(of("perSecond")).toFixed(0).padStart(7)}/s, ratio ${ratio("perSecond")}` +
        `   CPU ${median(of("cpuMicros")).toFixed(0).padStart(6)} µs, × ${ratio("cpuMicros")}` +
        `   written ${median(of("writtenKb")).toFixed(1).padStart(7)} KB, × ${ratio("writtenKb")}`,
    );
  }
}

await compare(["yardstick", "rest", "typed"], 64);
await compare(["yardstick", "rest", "typed"], 1);
await compare(["yardstick upload", "upload"], 16);
console.log(
  `\nready after ${service.readyMs.toFixed(0)} ms, resident ${idle.toFixed(0)} MB when idle, ` +
    `${service.used().peakMb.toFixed(0)} MB at most (the yardstick ${yardstick.used().peakMb.toFixed(0)} MB)`,
);
await rm(folder, { recursive: true, force: true });
