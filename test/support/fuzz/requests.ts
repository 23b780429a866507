// One request out of a seed and a number, as the bytes that go over the wire. It knows both doors and nothing of answers.
import { addresses, type Procedure } from "../doors.ts";
import { randomOf, type Random } from "./random.ts";
import { badResumeOf, mangle, resumeOf, spoil, validFields, type Fields } from "./submissions.ts";

/**
 * How a request ends. `framed`: its head is whole and names the length that follows, so one answer comes. `cut`: it stops
 * in the middle of its body. `wild`: its head is broken too, and may hold several requests, or none. The bodies of wild
 * requests cannot be accepted.
 */
export type Framing = "framed" | "cut" | "wild";

export interface FuzzRequest {
  readonly number: number;
  readonly framing: Framing;
  readonly door: "rest" | "rpc" | "other";
  readonly method: string;
  /** Procedures in the order of the calls; none at other addresses. */
  readonly procedures: readonly Procedure[];
  readonly isBatch: boolean;
  /** The body as it was sent; undefined for none. */
  readonly body: Buffer;
  /** What goes over the wire, in the pieces in which it is written. */
  readonly pieces: readonly Buffer[];
  /** Nothing was done to it: it must be accepted. */
  readonly isValid: boolean;
}

const boundary = "fuzz";
const procedureNames = Object.keys(addresses) as Procedure[];
/** So few that requests meet on them; most have one of their own. */
const keys = 40;

interface Draft {
  readonly door: FuzzRequest["door"];
  readonly target: string;
  readonly procedures: readonly Procedure[];
  readonly isBatch: boolean;
  readonly type: string | null;
  readonly body: Buffer;
  readonly isSpoilt: boolean;
}

/** The request of this number; sometimes one that was sent before. */
export function requestOf(seed: number, number: number): FuzzRequest {
  const random = randomOf(seed, number);
  const again = random.oneIn(6) && number > 0;
  return again ? makeRequest(seed, Math.max(0, number - 1 - random.int(200))) : makeRequest(seed, number);
}

function makeRequest(seed: number, number: number): FuzzRequest {
  const random = randomOf(seed + 1, number);
  const framing: Framing = random.oneIn(6) ? "wild" : random.oneIn(12) ? "cut" : "framed";
  const draft = random.oneIn(12) ? elsewhere(random) : submission(random, number, framing === "wild");
  const isMangled = framing === "framed" && !draft.isSpoilt && random.oneIn(3);
  const body = isMangled ? mangle(draft.body, random) : draft.body;
  const head = headOf({ ...draft, body, number }, random, framing === "framed" && random.oneIn(4), seed);
  const sent = framing === "cut" ? body.subarray(0, random.int(Math.max(1, body.length - 10))) : body;
  const bytes = Buffer.concat([head.bytes, sent]);
  const whole = framing === "wild" ? wild(bytes, head.bytes.length, random) : bytes;
  return {
    number,
    framing,
    door: draft.door,
    method: head.method,
    procedures: draft.procedures,
    isBatch: draft.isBatch,
    body,
    pieces: piecesOf(whole, random),
    isValid: framing === "framed" && !isMangled && !draft.isSpoilt && !head.isOdd && draft.door !== "other",
  };
}

function submission(random: Random, number: number, hopeless: boolean): Draft {
  const isSpoilt = hopeless || random.oneIn(2);
  const fieldsOf = (procedure: Procedure): Fields => {
    const fields = validFields(procedure, random, number);
    return hopeless ? { ...spoil(fields, random), email: "nobody" } : isSpoilt ? spoil(fields, random) : fields;
  };
  const door = random.pick(["rest", "rpc"] as const);
  if (door === "rpc" && random.oneIn(3)) return batch(random, fieldsOf, isSpoilt);
  const procedure = random.pick(procedureNames);
  const target = door === "rest" ? addresses[procedure] : `/trpc/${procedure}`;
  const fields = fieldsOf(procedure);
  const draft = { door, target, procedures: [procedure], isBatch: false, isSpoilt };
  if (procedure !== "applications.submit" || random.oneIn(3))
    return { ...draft, type: "application/json", body: json(fields) };
  if (door === "rest" && random.oneIn(3)) {
    return { ...draft, type: "application/x-www-form-urlencoded", body: urlencoded(fields) };
  }
  return { ...draft, type: `multipart/form-data; boundary=${boundary}`, body: multipart(fields, random, isSpoilt) };
}

function batch(random: Random, fieldsOf: (procedure: Procedure) => Fields, isSpoilt: boolean): Draft {
  const calls = random.oneIn(8) && isSpoilt ? 9 + random.int(4) : 1 + random.int(4);
  const procedures = Array.from({ length: calls }, () => random.pick(procedureNames));
  const inputs = Object.fromEntries(procedures.map((procedure, position) => [position, fieldsOf(procedure)]));
  const list = isSpoilt && random.oneIn(10) ? [...procedures, "no.such"] : procedures;
  const target = `/trpc/${list.join(",")}?batch=1`;
  return { door: "rpc", target, procedures, isBatch: true, isSpoilt, type: "application/json", body: json(inputs) };
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

const textOf = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

const urlencoded = (fields: Fields) =>
  Buffer.from(new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, textOf(value)])).toString());

function multipart(fields: Fields, random: Random, isSpoilt: boolean): Buffer {
  const parts = Object.entries(fields).map(([name, value]) =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${textOf(value)}\r\n`),
  );
  if (random.oneIn(2)) {
    const { bytes, filename } = isSpoilt && random.oneIn(2) ? badResumeOf(random) : resumeOf(random);
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="resumeFile"; filename="${filename}"\r\nContent-Type: application/pdf\r\n\r\n`;
    parts.splice(random.int(parts.length + 1), 0, Buffer.concat([Buffer.from(head), bytes, Buffer.from("\r\n")]));
  }
  return Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
}

const otherTargets = [
  ..."/healthz /readyz /openapi.json /newsletter/confirm?token=x /newsletter/unsubscribe?token=x&token=y".split(" "),
  ..."/newsletter/confirm /webhooks/postmark /api/no/such /api/marketplace/inquiry/".split(" "),
  ..."/api//marketplace/inquiry /API/marketplace/inquiry /api/marketplace/inquiry%00".split(" "),
  ..."/api/%2e%2e/%2e%2e/etc/passwd /%zz /trpc /trpc/ /trpc/no.such /trpc/no.such?batch=1".split(" "),
  ..."/trpc/marketplace.inquiry,marketplace.inquiry /trpc/newsletter.subscribe?batch=1&input=%7B%7D".split(" "),
  ..."/?x=/../..".split(" "),
  `/trpc/${"a".repeat(600)}`,
];

function elsewhere(random: Random): Draft {
  const target = random.pick(otherTargets);
  const news = {
    RecordType: random.pick(["Bounce", "SpamComplaint", "SubscriptionChange", "x"]),
    Email: "x@example.org",
  };
  return {
    door: target.startsWith("/trpc/") ? "rpc" : "other",
    target,
    procedures: [],
    isBatch: target.includes("batch=1"),
    isSpoilt: true,
    type: random.pick(["application/json", "application/x-www-form-urlencoded", "text/plain", null]),
    body: random.oneIn(2)
      ? json(spoil(news, random))
      : Buffer.from(random.pick(["", "token=x", "List-Unsubscribe=One-Click"])),
  };
}

/** The user and password that the service is started with. */
export const webhookCredentials = "fuzz:fuzz fuzz fuzz fuzz fuzz";
const webhookAuthorization = `Basic ${btoa(webhookCredentials)}`;

const methods = ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "QUERY"];
const oddTypes = [
  "text/plain",
  "application/json; charset=utf-16",
  "application/json; charset=UTF-8",
  "Application/JSON",
  "application/json/x",
  "application/json, text/plain",
  "multipart/form-data",
  "multipart/form-data; boundary=",
  `multipart/form-data; boundary=${"b".repeat(300)}`,
  'multipart/form-data; boundary="fuzz"',
  "multipart/mixed; boundary=fuzz",
  "application/x-www-form-urlencoded; charset=latin1",
  ";",
  "\u00ff",
];
const oddHeaders: readonly (readonly [string, string])[] = [
  ["Content-Encoding", "gzip"],
  ["Content-Encoding", "identity"],
  ["Idempotency-Key", ""],
  ["Idempotency-Key", "k".repeat(256)],
  ["Idempotency-Key", "\u00e9"],
  ["Idempotency-Key", "a\tb"],
  ["Authorization", "Basic Zm9vOmJhcg=="],
  ["Authorization", webhookAuthorization],
  ["X-Forwarded-For", "203.0.113.9, ::1, unknown, ,"],
  ["X-HTTP-Method-Override", "GET"],
  ["Origin", "null"],
  ["Accept", "application/xml;q=0.5, */*;q=0"],
  ["Accept-Encoding", "br, gzip, deflate"],
  ["trpc-accept", "application/jsonl"],
  ["x-trpc-source", "__proto__"],
  ["Range", "bytes=0-1,5-"],
  ["Expect", "100-continue"],
  ["If-None-Match", "*"],
  ["Cookie", `a=${"b".repeat(4_000)}`],
  ["X-Request-Id", "chosen-by-a-stranger"],
  ["Prefer", "respond-async"],
];

function headOf(draft: Draft & { readonly number: number }, random: Random, isOdd: boolean, seed: number) {
  let method = draft.door === "other" ? random.pick(["GET", "POST"]) : "POST";
  let { type } = draft;
  const headers: [string, string][] = [];
  if (draft.target.startsWith("/webhooks")) headers.push(["Authorization", webhookAuthorization]);
  if (draft.procedures.length === 1 && random.oneIn(2)) {
    headers.push(["Idempotency-Key", `${seed}-${random.oneIn(4) ? random.int(keys) : draft.number + keys}`]);
  }
  if (isOdd) {
    const what = random.int(4);
    if (what === 0) method = random.pick(methods);
    else if (what === 1) type = random.pick(oddTypes);
    else for (let more = 0; more <= random.int(3); more += 1) headers.push([...random.pick(oddHeaders)]);
  }
  if (type !== null) headers.push(["Content-Type", type]);
  headers.push(["Content-Length", String(draft.body.length)], ["Connection", "close"]);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return {
    method,
    isOdd,
    bytes: Buffer.from(`${method} ${draft.target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join("")}\r\n`, "latin1"),
  };
}

const lines = [
  "Content-Length: 0",
  "Content-Length: -1",
  "Content-Length: +5",
  "Content-Length: 99999999999999999999",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: Chunked, identity",
  "Transfer-Encoding: gzip, chunked",
  "Host: a\r\nHost: b",
  " folded: line",
  "no colon",
  ": no name",
  "X-Nul: a\0b",
  `X-Long: ${"a".repeat(20_000)}`,
  "Connection: Upgrade\r\nUpgrade: websocket",
  "Expect: 200-maybe",
  `X-Many: 1${"\r\nX-Many: 1".repeat(1_500)}`,
];
const openings = [
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
  "GET http://example.org/api/marketplace/inquiry HTTP/1.1\r\nHost: x\r\n\r\n",
  "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n",
  "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET /healthz HTTP/0.9\r\n\r\n",
  "GET /healthz HTTP/1.0\r\n\r\n",
  "GET /healthz\r\n",
  "POST /trpc/newsletter.subscribe HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
  "POST /trpc/newsletter.subscribe HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n",
  "\r\n\r\n\r\n",
  "G",
  "",
];

function wild(bytes: Buffer, headLength: number, random: Random): Buffer {
  const what = random.int(5);
  if (what === 0) return Buffer.concat([Buffer.from(random.pick(openings), "latin1"), bytes]);
  if (what === 1) return Buffer.concat([mangle(bytes.subarray(0, headLength), random), bytes.subarray(headLength)]);
  if (what === 2) return bytes.subarray(0, random.int(headLength));
  if (what === 3) return Buffer.concat([bytes, bytes, Buffer.from(random.pick(openings), "latin1")]);
  const afterFirstLine = bytes.indexOf("\r\n") + 2;
  const added = `${random.pick(lines)}\r\n`;
  return Buffer.concat([
    bytes.subarray(0, afterFirstLine),
    Buffer.from(added, "latin1"),
    bytes.subarray(afterFirstLine),
  ]);
}

function piecesOf(bytes: Buffer, random: Random): Buffer[] {
  if (!random.oneIn(3)) return [bytes];
  const cuts = Array.from({ length: 1 + random.int(6) }, () => random.int(bytes.length + 1)).toSorted((a, b) => a - b);
  return [0, ...cuts]
    .map((from, index) => bytes.subarray(from, [...cuts, bytes.length][index]))
    .filter((piece) => piece.length > 0);
}
