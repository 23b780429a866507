// `npm run bench`: the service against a hand-written Fastify route that does the same work, paired and alternating in
// one run. Ratios are medians of the rounds; absolute figures are of this machine at this moment and worth little.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { load, wire } from "./raw-client.ts";

const rounds = Number(process.argv[2] ?? 7);
const roundMs = Number(process.argv[3] ?? 2000);

const child = fork(fileURLToPath(new URL("bench-server.ts", import.meta.url)), {
  execArgv: ["-C", "@submissions/source"],
});
const [{ addresses }] = (await once(child, "message")) as [{ addresses: { service: string; yardstick: string } }];

async function cpuMicros(): Promise<number> {
  child.send("cpu");
  const [answer] = (await once(child, "message")) as [{ cpuMicros: number }];
  return answer.cpuMicros;
}

const inquiry = {
  name: "Ann Buyer",
  company: "Example GmbH",
  email: "ann@example.org",
  selectedPackageIds: ["en-GB-scottish", "de-AT"],
};
const json = Buffer.from(JSON.stringify(inquiry));

function multipart(): Buffer {
  const text = Object.entries({ fullName: "Ana Souza", email: "ana@example.org", position: "Annotator" })
    .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join("");
  const head = `${text}--b\r\nContent-Disposition: form-data; name="resumeFile"; filename="r.pdf"\r\nContent-Type: application/pdf\r\n\r\n`;
  const pdf = Buffer.alloc(4_900_000, " ");
  pdf.write("%PDF-1.7\n");
  pdf.write("startxref\n0\n%%EOF\n", pdf.length - 20);
  return Buffer.concat([Buffer.from(head), pdf, Buffer.from("\r\n--b--\r\n")]);
}

const form = "multipart/form-data; boundary=b";
const upload = multipart();
const { service, yardstick } = addresses;
const variants = {
  hand: { url: yardstick, request: wire(yardstick, "/inquiry", "application/json", json) },
  rest: { url: service, request: wire(service, "/api/marketplace/inquiry", "application/json", json) },
  typed: { url: service, request: wire(service, "/trpc/marketplace.inquiry", "application/json", json) },
  handUpload: { url: yardstick, request: wire(yardstick, "/upload", form, upload) },
  upload: { url: service, request: wire(service, "/api/applications/submit", form, upload) },
};
type Variant = keyof typeof variants;

interface Sample {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

async function sample(variant: Variant, clients: number): Promise<Sample> {
  const cpuBefore = await cpuMicros();
  const begin = performance.now();
  const answers = await load({ ...variants[variant], clients, ms: roundMs });
  const seconds = (performance.now() - begin) / 1000;
  return { perSecond: answers / seconds, cpuMicros: ((await cpuMicros()) - cpuBefore) / answers };
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function compare(
  names: readonly [Variant, ...Variant[]],
  clients: number,
  goals: Partial<Record<Variant, number>>,
): Promise<void> {
  const samples = new Map<Variant, Sample[]>(names.map((name) => [name, []]));
  for (const name of names) await sample(name, clients);
  for (let round = 0; round < rounds; round += 1) {
    // Forwards and backwards in turn, so that a drift of the machine favours nobody.
    for (const name of round % 2 === 0 ? names : names.toReversed())
      samples.get(name)?.push(await sample(name, clients));
  }
  const [first] = names;
  const of = (name: Variant, figure: keyof Sample) => (samples.get(name) ?? []).map((one) => one[figure]);
  console.log(`\n${clients} clients, ${rounds} rounds of ${roundMs} ms`);
  for (const name of names) {
    const ratio = median(
      of(name, "perSecond").map((value, round) => value / (of(first, "perSecond")[round] ?? Number.NaN)),
    );
    const cpu = median(
      of(first, "cpuMicros").map((value, round) => value / (of(name, "cpuMicros")[round] ?? Number.NaN)),
    );
    const goal = goals[name];
    console.log(
      `${name.padEnd(11)} ${median(of(name, "perSecond")).toFixed(0).padStart(7)}/s ${median(of(name, "cpuMicros")).toFixed(1).padStart(8)} µs CPU` +
        `   ratio ${ratio.toFixed(2)} (CPU ${cpu.toFixed(2)})${goal === undefined ? "" : `   goal ${goal.toFixed(2)}`}`,
    );
  }
}

await compare(["hand", "rest", "typed"], 64, { rest: 0.85, typed: 0.8 });
await compare(["hand", "rest", "typed"], 1, {});
await compare(["handUpload", "upload"], 16, { upload: 0.9 });
child.send("end");
await once(child, "exit");
