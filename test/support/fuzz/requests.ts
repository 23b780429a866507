// Broken and sound requests, as the bytes that go over the wire. It knows both doors and nothing of answers.
import fc from "fast-check";
import { addresses, type Procedure } from "../doors.ts";
import { hostileText } from "./strings.ts";

export interface FuzzRequest {
  /**
   * How a request ends. `framed`: its head is whole and names the length that follows, so one answer comes. `cut`: it stops
   * in the middle of its body. `wild`: its head is broken too, and may hold several requests, or none. The bodies of wild
   * requests cannot be accepted.
   */
  readonly framing: "framed" | "cut" | "wild";
  readonly door: "rest" | "rpc" | "other";
  readonly method: string;
  readonly procedures: readonly Procedure[];
  readonly isBatch: boolean;
  readonly body: Buffer;
  /** What goes over the wire, in the pieces in which it is written. */
  readonly pieces: readonly Buffer[];
  /** Nothing was done to it: it must be accepted. */
  readonly isSound: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** The user and password that the service is started with. */
export const webhookCredentials = "fuzz:fuzz fuzz fuzz fuzz fuzz";
const webhookAuthorization = `Authorization: Basic ${btoa(webhookCredentials)}`;

const latin1 = (text: string) => Buffer.from(text, "latin1");
const json = (value: unknown) => Buffer.from(JSON.stringify(value) ?? "");
const textOf = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

const names = ["Ann Buyer", "Ана Соуза", "山田 太郎", "Ana 👩‍👩‍👧", "O'Neil-Smith", "N"];
const fieldNames = [
  ..."name fullName email company position phone source coverLetter portfolioUrl resumeFile".split(" "),
  ..."selectedPackageIds selectedPackageIds[0] a.b.c a[0] é \0 __proto__ toString".split(" "),
  "",
];
const wrongTexts = ["a".repeat(70_000), "http://user:pw@example.org/", "a@b@example.org", "\r\nBcc: x@example.org"];
const soundFiles = ["cv.pdf", "Lebenslauf äöü.pdf", "a b.PDF", `${"x".repeat(180)}.pdf`];
const wrongFiles = ["cv.exe", "cv.doc", "", "..\\..\\cv.pdf", "cv.pdf\0.exe", '"', "a/b/c.docx", "\u202Efdp.exe"];
const signatures = ["%PDF-1.7\n", "PK\u0003\u0004", "\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1", "GIF89a", ""];
const otherTargets = [
  ..."/healthz /readyz /openapi.json /newsletter/confirm?token=x /newsletter/unsubscribe?token=x&token=y".split(" "),
  ..."/newsletter/confirm /webhooks/postmark /api/no/such /api/marketplace/inquiry/".split(" "),
  ..."/api//marketplace/inquiry /API/marketplace/inquiry /api/marketplace/inquiry%00".split(" "),
  ..."/api/%2e%2e/%2e%2e/etc/passwd /%zz /trpc /trpc/ /trpc/no.such /trpc/no.such?batch=1".split(" "),
  ..."/trpc/marketplace.inquiry,no.such?batch=1 /trpc/newsletter.subscribe?batch=1&input=%7B%7D".split(" "),
  ..."/trpc/marketplace.inquiry,marketplace.inquiry /?x=/../..".split(" "),
  `/trpc/${"a".repeat(600)}`,
];
const methods = "GET HEAD PUT DELETE PATCH OPTIONS TRACE PROPFIND QUERY".split(" ");
const oddTypes = [
  ..."text/plain Application/JSON application/json/x multipart/form-data multipart/form-data;boundary= ;".split(" "),
  ..."application/json;charset=utf-16 application/json;charset=UTF-8 multipart/mixed;boundary=fuzz \u00ff".split(" "),
  ...'application/json,text/plain multipart/form-data;boundary="fuzz" x/y;charset=latin1'.split(" "),
  `multipart/form-data; boundary=${"b".repeat(300)}`,
];
const oddHeaders = [
  ..."Content-Encoding: gzip|Content-Encoding: identity|Idempotency-Key: |Idempotency-Key: a\tb".split("|"),
  ..."Idempotency-Key: \u00e9|Authorization: Basic Zm9vOmJhcg==|X-HTTP-Method-Override: GET|Origin: null".split("|"),
  ..."X-Forwarded-For: 203.0.113.9, ::1, unknown, ,|Accept: application/xml;q=0.5, */*;q=0".split("|"),
  ..."Accept-Encoding: br, gzip, deflate|trpc-accept: application/jsonl|x-trpc-source: __proto__".split("|"),
  ..."Range: bytes=0-1,5-|Expect: 100-continue|If-None-Match: *|X-Request-Id: chosen-by-a-stranger".split("|"),
  `Idempotency-Key: ${"k".repeat(256)}`,
  `Cookie: a=${"b".repeat(4_000)}`,
  webhookAuthorization,
];
/** The parser refuses most of these. */
const oddLines = [
  ..."Content-Length: 0|Content-Length: -1|Content-Length: +5|Content-Length: 99999999999999999999".split("|"),
  ..."Transfer-Encoding: chunked|Transfer-Encoding: Chunked, identity|Transfer-Encoding: gzip, chunked".split("|"),
  ..."Host: a\r\nHost: b| folded: line|no colon|: no name|X-Nul: a\0b|Expect: 200-maybe".split("|"),
  `X-Long: ${"a".repeat(20_000)}`,
  `X-Many: 1${"\r\nX-Many: 1".repeat(1_500)}`,
  "Connection: Upgrade\r\nUpgrade: websocket",
];
const splinters = [
  ..."\\u0000 \\ud800 -- %zz %00 1e999 = ; : \u00ff\u00fe \u00ed\u00a0\u0080 \0".split(" "),
  ..."\r\n|\r\n\r\n|\r\n--fuzz--\r\n|".split("|"),
  "[".repeat(5_000),
  '","email":"a@b.example',
];
const chunked = "POST /trpc/newsletter.subscribe HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
const openings = [
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
  "GET http://example.org/api/marketplace/inquiry HTTP/1.1\r\nHost: x\r\n\r\n",
  "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n",
  "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
  ..."GET /healthz HTTP/0.9\r\n\r\n|GET /healthz HTTP/1.0\r\n\r\n|GET /healthz\r\n|\r\n\r\n\r\n|G".split("|"),
  `${chunked}ffffffffffffffffff\r\n`,
  `${chunked}5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n`,
];
const kinds = ["sound", "spoilt", "elsewhere", "cut", "wild"].flatMap((kind, n) => Array(n < 2 ? 5 : 1).fill(kind));

function draw(g: fc.GeneratorValue): FuzzRequest {
  const below = (most: number) => g(fc.nat, most - 1);
  const oneIn = (times: number) => below(times) === 0;
  const pick = <T>(of: readonly T[]): T => of[below(of.length)]!;
  const several = <T>(most: number, make: () => T) => Array.from({ length: 1 + below(most) }, make);
  const some = (fields: Fields) => Object.fromEntries(Object.entries(fields).filter(() => oneIn(2)));
  const kind = pick(kinds) as "sound" | "spoilt" | "elsewhere" | "cut" | "wild";
  const isSpoilt = kind === "spoilt" || kind === "wild";

  const wrong = (): unknown => {
    const which = below(5);
    if (which === 0) return g(() => hostileText);
    if (which === 1) return g(fc.anything, { maxDepth: 2 });
    if (which === 2) return Array.from({ length: below(3_000) }).reduce<unknown>((inner) => [inner], "x");
    return which === 3 ? Array.from({ length: below(500) }, (_, n) => String(n % 70)) : pick(wrongTexts);
  };
  const fieldsOf = (procedure: Procedure): Fields => {
    const email = `reader${g(fc.nat)}@example.org`;
    const letter = `Dear sirs,\r\n\t${"I read. ".repeat(below(200))}`;
    const contact = { phone: "+351 912 345 678", portfolioUrl: "https://example.org/a?b#c", coverLetter: letter };
    const selectedPackageIds = ["en", ...Object.keys(some({ "de-AT": 1, pt: 1 }))];
    const sound: Fields = {
      "newsletter.subscribe": { email, ...some({ source: pick(["footer", "Blog Post!", "/landing/a?b=c", ""]) }) },
      "marketplace.inquiry": { name: pick(names), email, selectedPackageIds, ...some({ company: "Ænima" }) },
      "applications.submit": { fullName: pick(names), email, position: "Annotator", ...some(contact) },
    }[procedure];
    const changes = isSpoilt ? several(4, () => [pick(fieldNames), wrong()] as const) : [];
    const fields = Object.fromEntries([...Object.entries(sound), ...changes]);
    return kind === "wild" ? { ...fields, email: "not an address" } : fields;
  };
  const part = (head: string, bytes: Buffer) =>
    Buffer.concat([
      latin1("--fuzz\r\n"),
      Buffer.from(`Content-Disposition: form-data; ${head}\r\n\r\n`),
      bytes,
      latin1("\r\n"),
    ]);
  const file = () => {
    const filling = pick(["x", "\r\n--", "\0", "é"]).repeat(below(oneIn(2) ? 1_000 : 50_000));
    const isWrong = isSpoilt && oneIn(2);
    const bytes = isWrong
      ? Buffer.concat([latin1(pick(signatures)), g(fc.uint8Array, { maxLength: 2_000 })])
      : Buffer.from(`%PDF-1.7\n${filling}\nstartxref\n0\n%%EOF\n`);
    const filename = pick(isWrong ? wrongFiles : soundFiles);
    return part(`name="resumeFile"; filename="${filename}"\r\nContent-Type: application/pdf`, bytes);
  };
  const draft = () => {
    const door = pick(["rest", "rpc"] as const);
    const procedure = pick(Object.keys(addresses) as Procedure[]);
    const to = (called: Procedure, at: "rest" | "rpc" = door) => ({
      door: at,
      target: at === "rest" ? addresses[called] : `/trpc/${called}`,
      procedures: [called],
      isBatch: false,
    });
    const which = below(17);
    if (which < 9) return { ...to(procedure), type: "application/json", body: json(fieldsOf(procedure)) };
    if (which < 13) {
      const procedures = several(isSpoilt ? 12 : 4, () => pick(Object.keys(addresses) as Procedure[]));
      const body = json(Object.fromEntries(procedures.map((called, position) => [position, fieldsOf(called)])));
      const target = `/trpc/${procedures.join()}?batch=1`;
      return { door: "rpc" as const, target, procedures, isBatch: true, type: "application/json", body };
    }
    const fields = Object.entries(fieldsOf("applications.submit")).map(([name, value]) => [name, textOf(value)]);
    if (which === 13) {
      const body = Buffer.from(new URLSearchParams(fields).toString());
      return { ...to("applications.submit", "rest"), type: "application/x-www-form-urlencoded", body };
    }
    const parts = fields.map(([name, value]) => part(`name="${name}"`, Buffer.from(value!)));
    if (oneIn(2)) parts.splice(below(parts.length + 1), 0, file());
    const body = Buffer.concat([...parts, latin1("--fuzz--\r\n")]);
    return { ...to("applications.submit"), type: "multipart/form-data; boundary=fuzz", body };
  };
  const elsewhere = () => {
    const target = pick(otherTargets);
    const event = { RecordType: oneIn(2) ? "Bounce" : wrong(), Email: wrong() };
    return {
      door: target.startsWith("/trpc/") ? ("rpc" as const) : ("other" as const),
      target,
      procedures: [],
      isBatch: target.includes("batch=1"),
      type: pick(["application/json", "application/x-www-form-urlencoded", "text/plain", null]),
      body: oneIn(2) ? json(event) : latin1(pick(["", "token=x", "List-Unsubscribe=One-Click"])),
    };
  };
  const mangle = (bytes: Buffer): Buffer =>
    several(4, () => 0).reduce<Buffer>((before) => {
      const start = below(before.length + 1);
      const put = oneIn(3) ? Buffer.from(g(fc.uint8Array, { maxLength: 200 })) : latin1(pick(splinters));
      return Buffer.concat([before.subarray(0, start), put, before.subarray(start + below(oneIn(2) ? 5 : 200))]);
    }, bytes);
  const makeWild = (head: Buffer, sent: Buffer): Buffer => {
    const which = below(5);
    if (which === 0) return Buffer.concat([latin1(pick(openings)), head, sent]);
    if (which === 1) return Buffer.concat([head, sent, head, sent, latin1(pick(openings))]);
    if (which === 2) return Buffer.concat([mangle(head), sent]);
    if (which === 3) return head.subarray(0, below(head.length));
    const start = head.indexOf("\r\n") + 2;
    return Buffer.concat([head.subarray(0, start), latin1(`${pick(oddLines)}\r\n`), head.subarray(start), sent]);
  };

  const { target, type, ...of } = kind === "elsewhere" ? elsewhere() : draft();
  const framing = kind === "cut" || kind === "wild" ? kind : "framed";
  const isMangled = kind === "sound" && oneIn(3);
  const body = isMangled ? mangle(of.body) : of.body;
  const odd = framing === "framed" && oneIn(4) ? below(3) : null;
  const method = odd === 0 ? pick(methods) : of.door === "other" ? pick(["GET", "POST"]) : "POST";
  const contentType = odd === 1 ? pick(oddTypes) : type;
  // So few keys that requests meet on them; most have one of their own.
  const key = of.procedures.length === 1 && oneIn(2) ? (oneIn(4) ? below(40) : g(fc.nat)) : null;
  const lines = [
    `${method} ${target} HTTP/1.1`,
    "Host: 127.0.0.1",
    ...(target.startsWith("/webhooks") ? [webhookAuthorization] : []),
    ...(key === null ? [] : [`Idempotency-Key: ${key}`]),
    ...(odd === 2 ? several(3, () => pick(oddHeaders)) : []),
    ...(contentType === null ? [] : [`Content-Type: ${contentType}`]),
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  const head = latin1(`${lines.join("\r\n")}\r\n\r\n`);
  const sent = framing === "cut" ? body.subarray(0, below(Math.max(1, body.length - 10))) : body;
  const bytes = framing === "wild" ? makeWild(head, sent) : Buffer.concat([head, sent]);
  const ends = oneIn(3) ? several(6, () => below(bytes.length + 1)).toSorted((a, b) => a - b) : [];
  const pieces = [0, ...ends].map((from, index) => bytes.subarray(from, ends[index]));
  return { ...of, framing, method, body, pieces, isSound: kind === "sound" && !isMangled && odd === null };
}

/** So many requests; one in six was sent before. The same seed makes the same ones. */
export function requestsOf(seed: number, count: number): readonly FuzzRequest[] {
  const one = fc.gen().map((g) => ({ fresh: draw(g), again: g(fc.nat, 5) === 0 ? g(fc.nat, 200) : null }));
  const sampled = fc.sample(fc.noBias(one), { seed, numRuns: count });
  return sampled.map(({ fresh, again }, position) => sampled[position - 1 - (again ?? -1)]?.fresh ?? fresh);
}
