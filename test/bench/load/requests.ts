// The requests that clients send, as bytes. Every server under test has the service's paths.

/** What a client can ask for. */
export const requestKinds = [
  "inquiry",
  "typed inquiry",
  "batch of 10",
  "batch of 50",
  "subscription",
  "upload of 1 MB",
  "upload of 5 MB",
  "typed upload of 1 MB",
  "typed upload of 5 MB",
  "refusal",
  "mixed",
] as const;
export type RequestKind = (typeof requestKinds)[number];

/** How many calls one request makes. */
export const callsIn = (kind: RequestKind): number => Number(/^batch of (\d+)$/.exec(kind)?.[1] ?? 1);

/** A request as it goes over the wire, and the status of its answer. */
export interface Request {
  readonly chunks: readonly Buffer[];
  readonly status: number;
}

/** Makes the next request of a client. */
export type Requests = (client: number) => Request;

/** Makes requests to a host; no two have the same e-mail address in them. */
export function requestsTo(host: string, kind: RequestKind): Requests {
  const email = `ada-${process.pid.toString(36)}${Date.now().toString(36)}-${marker}@voicelabs.example`;
  const inquiry = {
    name: "Ada Nakamura",
    company: "Voice Labs Ltd",
    email,
    selectedPackageIds: ["en-in-telephony", "es-mx-studio"],
  };
  const post = (path: string, body: object, status = 200) => json(host, path, body, status);
  const batch = (size: number) =>
    post(
      `/trpc/${Array.from({ length: size }, () => "marketplace.inquiry").join(",")}?batch=1`,
      Object.fromEntries(Array.from({ length: size }, (_, position) => [position, inquiry])),
    );
  const upload = (path: string, bytes: number) => form(host, path, email, resumeOf(bytes));
  const kinds: Record<Exclude<RequestKind, "mixed">, () => Requests> = {
    inquiry: () => post("/api/marketplace/inquiry", inquiry),
    "typed inquiry": () => post("/trpc/marketplace.inquiry", inquiry),
    "batch of 10": () => batch(10),
    "batch of 50": () => batch(50),
    subscription: () => post("/api/newsletter/subscribe", { email, source: "footer" }),
    "upload of 1 MB": () => upload("/api/applications/submit", megabyte),
    "upload of 5 MB": () => upload("/api/applications/submit", fiveMegabytes),
    "typed upload of 1 MB": () => upload("/trpc/applications.submit", megabyte),
    "typed upload of 5 MB": () => upload("/trpc/applications.submit", fiveMegabytes),
    refusal: () => post("/api/marketplace/inquiry", { ...inquiry, email: "ada at voicelabs" }, 400),
  };
  if (kind !== "mixed") return kinds[kind]();
  const deck = mixture.flatMap(([one, times]) => {
    const request = kinds[one]();
    return Array.from({ length: times }, () => request);
  });
  let turn = 0;
  // 7 and the deck's size have no common factor, so that kinds take turns.
  return (client) => deck[((turn += 1) * 7) % deck.length]!(client);
}

/** Of 20 requests. */
const mixture = [
  ["inquiry", 14],
  ["subscription", 3],
  ["refusal", 2],
  ["upload of 1 MB", 1],
] as const;

const megabyte = 1_000_000;
/** The limit is 5 MiB. */
const fiveMegabytes = 5_000_000;

// Every client has an address of its own, as behind a proxy: limits are counted by address.
const head = (host: string, path: string, contentType: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-For: 10.0.${clientMarker}\r\nContent-Type: ${contentType}\r\nContent-Length: ${length}\r\n\r\n`;

/** Stands in a body where each request has a number of its own. */
const marker = "00000000";
const clientMarker = "{client}";
let numbers = 0;

/** Writes texts with fresh numbers in them. A client that wrote JSON anew would need as much CPU as the server. */
function numbered(text: string): (client: number) => Buffer {
  const [first = "", ...rest] = text.split(marker);
  const beginnings = new Map<number, string>();
  const beginningOf = (client: number) => {
    const known = beginnings.get(client);
    if (known !== undefined) return known;
    const beginning = first.replace(clientMarker, `${Math.floor(client / 250)}.${1 + (client % 250)}`);
    beginnings.set(client, beginning);
    return beginning;
  };
  return (client) => {
    let written = beginningOf(client);
    for (const part of rest) written += (numbers += 1).toString(36).padStart(marker.length, "0") + part;
    return Buffer.from(written, "latin1");
  };
}

function json(host: string, path: string, value: object, status: number): Requests {
  const body = JSON.stringify(value);
  const write = numbered(head(host, path, "application/json", body.length) + body);
  return (client) => ({ chunks: [write(client)], status });
}

/** As long as that of a browser. */
const boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW";

function form(host: string, path: string, email: string, resume: Buffer): Requests {
  const fields = { fullName: "Ana Souza", email, position: "Annotator" };
  const text = Object.entries(fields)
    .map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join("");
  const before = `${text}--${boundary}\r\nContent-Disposition: form-data; name="resumeFile"; filename="r.pdf"\r\nContent-Type: application/pdf\r\n\r\n`;
  const after = Buffer.from(`\r\n--${boundary}--\r\n`);
  const length = before.length + resume.length + after.length;
  const write = numbered(head(host, path, `multipart/form-data; boundary=${boundary}`, length) + before);
  return (client) => ({ chunks: [write(client), resume, after], status: 200 });
}

const resumes = new Map<number, Buffer>();

/** What the judge of resumes takes for a PDF. */
function resumeOf(bytes: number): Buffer {
  const known = resumes.get(bytes);
  if (known !== undefined) return known;
  const pdf = Buffer.alloc(bytes, " ");
  pdf.write("%PDF-1.7\n");
  pdf.write("startxref\n0\n%%EOF\n", pdf.length - 20);
  resumes.set(bytes, pdf);
  return pdf;
}
