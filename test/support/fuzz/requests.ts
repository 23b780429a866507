// Broken and sound requests, as the bytes that go over the wire. It knows both doors and nothing of answers.
import fc from "fast-check";
import { addresses, type Procedure } from "../doors.ts";
import { hostileText } from "./strings.ts";

/**
 * How a request ends. `framed`: its head is whole and names the length that follows, so one answer comes. `cut`: it stops
 * in the middle of its body. `wild`: its head is broken too, and may hold several requests, or none. The bodies of wild
 * requests cannot be accepted.
 */
export type Framing = "framed" | "cut" | "wild";

export interface FuzzRequest {
  readonly framing: Framing;
  readonly door: "rest" | "rpc" | "other";
  readonly method: string;
  /** Procedures in the order of the calls; none at other addresses. */
  readonly procedures: readonly Procedure[];
  readonly isBatch: boolean;
  readonly body: Buffer;
  /** What goes over the wire, in the pieces in which it is written. */
  readonly pieces: readonly Buffer[];
  /** Nothing was done to it: it must be accepted. */
  readonly isSound: boolean;
}

type Fields = Readonly<Record<string, unknown>>;
type Draft = Pick<FuzzRequest, "door" | "procedures" | "isBatch" | "body" | "isSound"> & {
  readonly target: string;
  readonly type: string | null;
};

const boundary = "fuzz";
const procedure = fc.constantFrom(...(Object.keys(addresses) as Procedure[]));
const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const latin1 = (text: string) => Buffer.from(text, "latin1");
/** Null, but for one of so many. */
const oneIn = <T>(times: number, arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

// Fields.

const email = fc.nat().map((number) => `reader${number}@example.org`);
const name = fc.constantFrom("Ann Buyer", "Ана Соуза", "山田 太郎", "Ana 👩‍👩‍👧", "O'Neil-Smith", "N");
const soundFields: Record<Procedure, fc.Arbitrary<Fields>> = {
  "newsletter.subscribe": fc.record(
    { email, source: fc.constantFrom("footer", "Blog Post!", "/landing/a?b=c", "") },
    { requiredKeys: ["email"] },
  ),
  "marketplace.inquiry": fc.record(
    {
      name,
      email,
      selectedPackageIds: fc.uniqueArray(fc.constantFrom("en", "de-AT", "pt"), { minLength: 1 }),
      company: fc.constant("Ænima"),
    },
    { requiredKeys: ["name", "email", "selectedPackageIds"] },
  ),
  "applications.submit": fc.record(
    {
      fullName: name,
      email,
      position: fc.constant("Annotator"),
      phone: fc.constant("+351 912 345 678"),
      portfolioUrl: fc.constant("https://example.org/a?b#c"),
      coverLetter: fc.nat(200).map((times) => `Dear sirs,\r\n\t${"I read. ".repeat(times)}`),
    },
    { requiredKeys: ["fullName", "email", "position"] },
  ),
};

const fieldName = fc.oneof(
  fc.constantFrom(
    ..."name fullName email company position phone source coverLetter portfolioUrl resumeFile".split(" "),
  ),
  fc.constantFrom(..."selectedPackageIds selectedPackageIds[0] a.b.c a[0] é \0 __proto__ toString".split(" "), ""),
);
const wrong = fc.oneof(
  hostileText,
  fc.anything({ maxDepth: 2 }),
  fc.nat(3_000).map((depth) => Array.from({ length: depth }).reduce<unknown>((inner) => [inner], "x")),
  fc.nat(500).map((length) => Array.from({ length }, (_, index) => String(index % 70))),
  fc.constantFrom("a".repeat(70_000), "http://user:pw@example.org/", "a@b@example.org", "\r\nBcc: x@example.org"),
);
const spoiltFields = (of: Procedure): fc.Arbitrary<Fields> =>
  fc
    .tuple(soundFields[of], fc.array(fc.tuple(fieldName, wrong), { minLength: 1, maxLength: 4 }))
    .map(([fields, changes]) => Object.fromEntries([...Object.entries(fields), ...changes]));
const hopelessFields = (of: Procedure) => spoiltFields(of).map((fields) => ({ ...fields, email: "nobody" }));

// Bodies.

const json = (value: unknown) => Buffer.from(JSON.stringify(value) ?? "");
const textOf = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
const part = (head: string, bytes: Buffer) =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
    bytes,
    latin1("\r\n"),
  ]);
const fileNamed = (filename: string, bytes: Buffer) =>
  part(`name="resumeFile"; filename="${filename}"\r\nContent-Type: application/pdf`, bytes);

const soundFile = fc
  .tuple(
    fc.constantFrom("cv.pdf", "Lebenslauf äöü.pdf", "a b.PDF", `${"x".repeat(180)}.pdf`),
    fc.oneof(fc.nat(4_000), fc.nat(200_000)),
    fc.constantFrom("x", "\r\n--", "\0", "é"),
  )
  .map(([filename, length, filling]) =>
    fileNamed(filename, Buffer.from(`%PDF-1.7\n${filling.repeat(length / 4)}\nstartxref\n0\n%%EOF\n`)),
  );
const wrongFile = fc
  .tuple(
    fc.constantFrom("cv.exe", "cv.doc", "", "..\\..\\cv.pdf", "cv.pdf\0.exe", '"', "a/b/c.docx", "\u202Efdp.exe"),
    fc.constantFrom("%PDF-1.7\n", "PK\u0003\u0004", "\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1", "GIF89a", ""),
    fc.uint8Array({ maxLength: 2_000 }),
  )
  .map(([filename, magic, rest]) => fileNamed(filename, Buffer.concat([latin1(magic), rest])));

function submission(
  fieldsOf: (of: Procedure) => fc.Arbitrary<Fields>,
  file: fc.Arbitrary<Buffer<ArrayBuffer>>,
  isSound: boolean,
): fc.Arbitrary<Draft> {
  const door = fc.constantFrom("rest", "rpc");
  const toDoor = (at: "rest" | "rpc", called: Procedure) => ({
    door: at,
    target: at === "rest" ? addresses[called] : `/trpc/${called}`,
    procedures: [called],
    isBatch: false,
    isSound,
  });
  const call = procedure.chain((called) =>
    fc
      .tuple(door, fieldsOf(called))
      .map(([at, fields]) => ({ ...toDoor(at, called), type: "application/json", body: json(fields) })),
  );
  const applied = "applications.submit";
  const form = fc.tuple(door, fieldsOf(applied), oneIn(2, file), fraction).map(([at, fields, resume, place]) => {
    const parts = Object.entries(fields).map(([field, value]) => part(`name="${field}"`, Buffer.from(textOf(value))));
    if (resume !== null) parts.splice(Math.floor(place * (parts.length + 1)), 0, resume);
    const body = Buffer.concat([...parts, latin1(`--${boundary}--\r\n`)]);
    return { ...toDoor(at, applied), type: `multipart/form-data; boundary=${boundary}`, body };
  });
  const urlencoded = fieldsOf(applied).map((fields) => {
    const pairs = Object.entries(fields).map(([field, value]) => [field, textOf(value)]);
    const body = Buffer.from(new URLSearchParams(pairs).toString());
    return { ...toDoor("rest", applied), type: "application/x-www-form-urlencoded", body };
  });
  const calls = procedure.chain((called) => fieldsOf(called).map((fields) => ({ called, fields })));
  const batch = fc.array(calls, { minLength: 1, maxLength: isSound ? 4 : 12 }).map((all) => ({
    door: "rpc" as const,
    target: `/trpc/${all.map(({ called }) => called).join()}?batch=1`,
    procedures: all.map(({ called }) => called),
    isBatch: true,
    type: "application/json",
    body: json(Object.fromEntries(all.map(({ fields }, position) => [position, fields]))),
    isSound,
  }));
  return fc.oneof(
    { weight: 9, arbitrary: call },
    { weight: 3, arbitrary: form },
    { weight: 1, arbitrary: urlencoded },
    { weight: 4, arbitrary: batch },
  );
}

/** The user and password that the service is started with. */
export const webhookCredentials = "fuzz:fuzz fuzz fuzz fuzz fuzz";
const webhookAuthorization = `Authorization: Basic ${btoa(webhookCredentials)}`;

const otherTargets = [
  ..."/healthz /readyz /openapi.json /newsletter/confirm?token=x /newsletter/unsubscribe?token=x&token=y".split(" "),
  ..."/newsletter/confirm /webhooks/postmark /api/no/such /api/marketplace/inquiry/".split(" "),
  ..."/api//marketplace/inquiry /API/marketplace/inquiry /api/marketplace/inquiry%00".split(" "),
  ..."/api/%2e%2e/%2e%2e/etc/passwd /%zz /trpc /trpc/ /trpc/no.such /trpc/no.such?batch=1".split(" "),
  ..."/trpc/marketplace.inquiry,no.such?batch=1 /trpc/newsletter.subscribe?batch=1&input=%7B%7D".split(" "),
  ..."/trpc/marketplace.inquiry,marketplace.inquiry /?x=/../..".split(" "),
  `/trpc/${"a".repeat(600)}`,
];
const elsewhere: fc.Arbitrary<Draft> = fc
  .tuple(
    fc.constantFrom(...otherTargets),
    fc.constantFrom("application/json", "application/x-www-form-urlencoded", "text/plain", null),
    fc.oneof(
      fc.dictionary(fc.constantFrom("RecordType", "Email"), fc.oneof(fc.constant("Bounce"), wrong)).map(json),
      fc.constantFrom("", "token=x", "List-Unsubscribe=One-Click").map(latin1),
    ),
  )
  .map(([target, type, body]) => ({
    door: target.startsWith("/trpc/") ? "rpc" : "other",
    target,
    procedures: [],
    isBatch: target.includes("batch=1"),
    type,
    body,
    isSound: false,
  }));

// Heads, and what is done to bytes.

const methods = ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "QUERY"];
const oddTypes = [
  ..."text/plain Application/JSON application/json/x multipart/form-data multipart/form-data;boundary= ; \u00ff".split(
    " ",
  ),
  ..."application/json;charset=utf-16 application/json;charset=UTF-8 multipart/mixed;boundary=fuzz".split(" "),
  ...'application/json,text/plain multipart/form-data;boundary="fuzz" x/y;charset=latin1'.split(" "),
  `multipart/form-data; boundary=${"b".repeat(300)}`,
];
const oddHeader = fc.constantFrom(
  ..."Content-Encoding: gzip|Content-Encoding: identity|Idempotency-Key: |Idempotency-Key: a\tb".split("|"),
  ..."Idempotency-Key: \u00e9|Authorization: Basic Zm9vOmJhcg==|X-HTTP-Method-Override: GET|Origin: null".split("|"),
  ..."X-Forwarded-For: 203.0.113.9, ::1, unknown, ,|Accept: application/xml;q=0.5, */*;q=0".split("|"),
  ..."Accept-Encoding: br, gzip, deflate|trpc-accept: application/jsonl|x-trpc-source: __proto__".split("|"),
  ..."Range: bytes=0-1,5-|Expect: 100-continue|If-None-Match: *|X-Request-Id: chosen-by-a-stranger".split("|"),
  `Idempotency-Key: ${"k".repeat(256)}`,
  `Cookie: a=${"b".repeat(4_000)}`,
  webhookAuthorization,
);
const oddity = fc.oneof(
  fc.record({ method: fc.constantFrom(...methods) }),
  fc.record({ type: fc.constantFrom(...oddTypes) }),
  fc.record({ more: fc.array(oddHeader, { minLength: 1, maxLength: 3 }) }),
);
/** So few that requests meet on them; most have one of their own. */
const key = fc.oneof({ weight: 3, arbitrary: fc.nat() }, { weight: 1, arbitrary: fc.nat(40) });

const splinter = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc
    .constantFrom(..."\\u0000 \\ud800 -- %zz %00 1e999 = ; : \u00ff\u00fe \u00ed\u00a0\u0080 \0".split(" "))
    .map(latin1),
  fc.constantFrom("\r\n", "\r\n\r\n", "\r\n--fuzz--\r\n", "[".repeat(5_000), '","email":"a@b.example').map(latin1),
);
const damage = fc.array(
  fc.record({
    at: fraction,
    lost: fc.oneof(fc.nat(4), fc.nat(200)),
    put: fc.oneof(fc.constant(Buffer.alloc(0)), splinter),
  }),
  { minLength: 1, maxLength: 4 },
);
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;
const mangle = (bytes: Buffer, changes: Damage): Buffer =>
  changes.reduce((before, { at, lost, put }) => {
    const start = Math.floor(at * (before.length + 1));
    return Buffer.concat([before.subarray(0, start), put, before.subarray(start + lost)]);
  }, bytes);

const oddLine = fc.constantFrom(
  ..."Content-Length: 0|Content-Length: -1|Content-Length: +5|Content-Length: 99999999999999999999".split("|"),
  ..."Transfer-Encoding: chunked|Transfer-Encoding: Chunked, identity|Transfer-Encoding: gzip, chunked".split("|"),
  ..."Host: a\r\nHost: b| folded: line|no colon|: no name|X-Nul: a\0b|Expect: 200-maybe".split("|"),
  `X-Long: ${"a".repeat(20_000)}`,
  `X-Many: 1${"\r\nX-Many: 1".repeat(1_500)}`,
  "Connection: Upgrade\r\nUpgrade: websocket",
);
const chunked = "POST /trpc/newsletter.subscribe HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
const opening = fc.constantFrom(
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
  "GET http://example.org/api/marketplace/inquiry HTTP/1.1\r\nHost: x\r\n\r\n",
  "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n",
  "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET /healthz HTTP/0.9\r\n\r\n",
  "GET /healthz HTTP/1.0\r\n\r\n",
  "GET /healthz\r\n",
  "\r\n\r\n\r\n",
  "G",
  `${chunked}ffffffffffffffffff\r\n`,
  `${chunked}5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n`,
);
/** What makes a request wild. */
const wildness: fc.Arbitrary<(head: Buffer, body: Buffer) => Buffer> = fc.oneof(
  opening.map((text) => (head: Buffer, body: Buffer) => Buffer.concat([latin1(text), head, body])),
  opening.map((text) => (head: Buffer, body: Buffer) => Buffer.concat([head, body, head, body, latin1(text)])),
  damage.map((changes) => (head: Buffer, body: Buffer) => Buffer.concat([mangle(head, changes), body])),
  fraction.map((at) => (head: Buffer) => head.subarray(0, Math.floor(at * head.length))),
  oddLine.map((line) => (head: Buffer, body: Buffer) => {
    const start = head.indexOf("\r\n") + 2;
    return Buffer.concat([head.subarray(0, start), latin1(`${line}\r\n`), head.subarray(start), body]);
  }),
);

// Requests.

const request = (framing: Framing, draft: fc.Arbitrary<Draft>): fc.Arbitrary<FuzzRequest> =>
  fc
    .record({
      draft,
      method: fc.constantFrom("GET", "POST"),
      key: oneIn(2, key),
      odd: oneIn(4, oddity),
      changes: oneIn(3, damage),
      end: fraction,
      wild: wildness,
      cuts: oneIn(3, fc.array(fraction, { minLength: 1, maxLength: 6 })),
    })
    .map(({ draft: { target, type, isSound, ...of }, ...how }) => {
      const isMangled = framing === "framed" && isSound && how.changes !== null;
      const body = isMangled ? mangle(of.body, how.changes ?? []) : of.body;
      const odd: { method?: string; type?: string; more?: string[] } = framing === "framed" ? (how.odd ?? {}) : {};
      const method = odd.method ?? (of.door === "other" ? how.method : "POST");
      const contentType = odd.type ?? type;
      const lines = [
        `${method} ${target} HTTP/1.1`,
        "Host: 127.0.0.1",
        ...(target.startsWith("/webhooks") ? [webhookAuthorization] : []),
        ...(of.procedures.length === 1 && how.key !== null ? [`Idempotency-Key: ${how.key}`] : []),
        ...(odd.more ?? []),
        ...(contentType === null ? [] : [`Content-Type: ${contentType}`]),
        `Content-Length: ${body.length}`,
        "Connection: close",
      ];
      const head = latin1(`${lines.join("\r\n")}\r\n\r\n`);
      const sent = framing === "cut" ? body.subarray(0, Math.floor(how.end * (body.length - 10))) : body;
      const bytes = framing === "wild" ? how.wild(head, sent) : Buffer.concat([head, sent]);
      const ends = (how.cuts ?? []).map((at) => Math.floor(at * bytes.length)).toSorted((a, b) => a - b);
      return {
        ...of,
        framing,
        method,
        body,
        pieces: [0, ...ends].map((from, index) => bytes.subarray(from, ends[index])),
        isSound: framing === "framed" && isSound && !isMangled && how.odd === null,
      };
    });

const sound = submission((of) => soundFields[of], soundFile, true);
const spoilt = submission(spoiltFields, fc.oneof(soundFile, wrongFile), false);
const hopeless = submission(hopelessFields, soundFile, false);
const any = fc.oneof(
  { weight: 15, arbitrary: request("framed", sound) },
  { weight: 15, arbitrary: request("framed", spoilt) },
  { weight: 3, arbitrary: request("framed", elsewhere) },
  { weight: 3, arbitrary: request("cut", sound) },
  { weight: 7, arbitrary: request("wild", hopeless) },
);
const sometimesAgain = fc.noBias(fc.record({ fresh: any, again: oneIn(6, fc.nat(200)) }));

/** So many requests; some were sent before. The same seed makes the same ones. */
export function requestsOf(seed: number, count: number): readonly FuzzRequest[] {
  const sampled = fc.sample(sometimesAgain, { seed, numRuns: count });
  return sampled.map(({ fresh, again }, position) => sampled[position - 1 - (again ?? -1)]?.fresh ?? fresh);
}
