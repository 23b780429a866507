// The requests that clients send, as bytes. Both programs have the service's paths.

export type RequestKind = "inquiry" | "typed inquiry" | "subscription" | "typed upload of 1 MB" | "refusal";

/** A request as it goes over the wire, and the status of its answer. */
interface Request {
  readonly chunks: readonly Buffer[];
  readonly status: number;
}

/** Makes the next request of a client. */
type Requests = (client: number) => Request;

/** Makes requests to a host; no two have the same e-mail address in them. */
export function requestsTo(host: string, kind: RequestKind): Requests {
  const email = `ada-${process.pid.toString(36)}${Date.now().toString(36)}-${marker}@voicelabs.example`;
  const inquiry = {
    name: "Ada Nakamura",
    company: "Voice Labs Ltd",
    email,
    selectedPackageIds: ["en-in-telephony", "es-mx-studio"],
  };
  const kinds: Record<RequestKind, () => Requests> = {
    inquiry: () => json(host, "/api/marketplace/inquiry", inquiry),
    "typed inquiry": () => json(host, "/trpc/marketplace.inquiry", inquiry),
    subscription: () => json(host, "/api/newsletter/subscribe", { email, source: "footer" }),
    "typed upload of 1 MB": () => form(host, "/trpc/applications.submit", email, pdf),
    refusal: () => json(host, "/api/marketplace/inquiry", { ...inquiry, email: "ada at voicelabs" }, 400),
  };
  return kinds[kind]();
}

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
  return (client) => {
    let written = first.replace(clientMarker, `0.${1 + client}`);
    for (const part of rest) written += (numbers += 1).toString(36).padStart(marker.length, "0") + part;
    return Buffer.from(written, "latin1");
  };
}

function json(host: string, path: string, value: object, status = 200): Requests {
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

/** What the judge of resumes takes for a PDF. */
const pdf = Buffer.alloc(1_000_000, " ");
pdf.write("%PDF-1.7\n");
pdf.write("startxref\n0\n%%EOF\n", pdf.length - 20);
