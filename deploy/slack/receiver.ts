// An example of a receiver: verifies what the submission service sends and posts a line of it to Slack. How to run it is
// in docs/webhooks.md. It keeps nothing but the ids of the latest deliveries.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";

interface Settings {
  /** What `webhooks add` printed. While it is being replaced: the old one and the new one. */
  readonly secrets: readonly string[];
  /** The address of an incoming webhook of Slack. */
  readonly slackUrl: string;
}

interface Delivery {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const bodyBytesMax = 256 * 1024;
/** A delivery comes twice when our answer to the first was lost. */
const idsKept = 1_000;
const slackMsMax = 10_000;

export function createReceiver({ secrets, slackUrl }: Settings): Server {
  const verifiers = secrets.map((secret) => new Webhook(secret));
  const seen = new Set<string>();

  async function take(request: IncomingMessage): Promise<number> {
    if (request.method !== "POST") return 405;
    const body = await readBody(request);
    if (body === null) return 413;
    // The body as it came: parsed and written again, it would have another signature.
    const delivery = verify(verifiers, body, request);
    if (delivery === null) return 401;
    const id = String(request.headers["webhook-id"]);
    if (seen.has(id)) return 204;
    const slack = await fetch(slackUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: lineOf(delivery) }),
      signal: AbortSignal.timeout(slackMsMax),
    });
    // The service tries again.
    if (!slack.ok) return 502;
    seen.add(id);
    for (const old of seen) if (seen.size > idsKept) seen.delete(old);
    return 204;
  }

  return createServer((request: IncomingMessage, response: ServerResponse) => {
    take(request).then(
      (status) => response.writeHead(status).end(),
      // Slack cannot be reached, or the service broke off.
      () => response.writeHead(502).end(),
    );
  });
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > bodyBytesMax) return null;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

function verify(verifiers: readonly Webhook[], body: string, { headers }: IncomingMessage): Delivery | null {
  for (const verifier of verifiers) {
    try {
      return verifier.verify(body, headers as Record<string, string>) as Delivery;
    } catch {
      // Not signed with this secret, or too old.
    }
  }
  return null;
}

/** One line. People in the channel may see it; the rest is in the console, for those who may see that. */
function lineOf({ type, data }: Delivery): string {
  const text = (name: string) => escape(typeof data[name] === "string" ? data[name] : "");
  if (type === "inquiry.received") return `New inquiry from ${text("name")}: ${linkTo(data, "inquiryId")}`;
  if (type === "application.received") {
    return `New application for ${text("position")} from ${text("fullName")}: ${linkTo(data, "applicationId")}`;
  }
  return type === "subscriber.confirmed" ? "A new subscriber" : "A subscriber has left";
}

const linkTo = ({ consoleUrl, ...data }: Delivery["data"], reference: string): string =>
  `<${escape(String(consoleUrl))}|${escape(String(data[reference]))}>`;

/** What Slack would take for a link or a mention. */
const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

if (import.meta.main) {
  const { WEBHOOK_SECRET = "", SLACK_WEBHOOK_URL = "", PORT = "8787" } = process.env;
  const secrets = WEBHOOK_SECRET.split(/\s+/).filter((secret) => secret !== "");
  if (secrets.length === 0 || SLACK_WEBHOOK_URL === "") {
    console.error("Set WEBHOOK_SECRET and SLACK_WEBHOOK_URL.");
    process.exit(78);
  }
  createReceiver({ secrets, slackUrl: SLACK_WEBHOOK_URL }).listen(Number(PORT), "127.0.0.1");
}
