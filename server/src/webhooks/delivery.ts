// One delivery: its body, its signature, and what is recorded after a try. Without store and network.
import { createHmac } from "node:crypto";
import type { Answer } from "@submissions/shared/console";
import { consolePageOf } from "../field-values.ts";
import { iso, submissionFields, subscriberFields } from "../desk/export.ts";
import { type DeliverySettlement, type LeasedDelivery, secretPrefix } from "../storage/webhook-store.ts";
import type { PostAnswer } from "./post.ts";

type Told = Pick<LeasedDelivery, "url" | "event" | "createdAt" | "about">;

/** What a webhook is told, by the names that exports give the fields. Never holds the bytes of a resume. */
export function payloadOf({ url, event, createdAt, about }: Told, publicUrl: string): string {
  const chat = chatFormatOf(url);
  if (chat === undefined) {
    return JSON.stringify({ type: event, timestamp: iso(createdAt), data: dataOf(about, publicUrl) });
  }
  const link = "submission" in about ? consolePageOf(publicUrl, about.submission.reference) : null;
  return JSON.stringify(chat(sentenceOf({ event, about }), link));
}

function dataOf(about: Told["about"], publicUrl: string): object {
  if ("told" in about) return about.told;
  if ("subscriber" in about) return { ...subscriberFields(about.subscriber), language: about.subscriber.language };
  const { submission, changed, answer } = about;
  const { language } = submission;
  const consoleUrl = consolePageOf(publicUrl, submission.reference);
  return {
    ...submissionFields(submission),
    language,
    consoleUrl,
    ...(changed && { changed }),
    ...(answer && answerData(answer)),
  };
}

const answerData = ({ id, at, sender, senderAddress, senderName, subject, text, reply }: Omit<Answer, "files">) => ({
  answer: { id, receivedAt: iso(at), sender, senderAddress, senderName, subject, text: reply ?? text },
});

/**
 * The headers of one try, signed after Standard Webhooks 1.0.0 (standardwebhooks.com): HMAC-SHA256 over id, time and body.
 * @param secrets all that are in force; a receiver needs only one of them
 * @param at when it is tried. Receivers refuse what is older than some minutes.
 */
export function signedHeaders(id: string, body: string, secrets: readonly string[], at: number) {
  const timestamp = String(Math.floor(at / 1000));
  const sign = (secret: string) =>
    createHmac("sha256", Buffer.from(secret.slice(secretPrefix.length), "base64"))
      .update(`${id}.${timestamp}.${body}`)
      .digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => `v1,${sign(secret)}`).join(" "),
  };
}

const minuteMs = 60_000;
/** The delays of the specification, cut so that the last try is 72 hours after the first. */
const delaysMs = [5_000, ...[5, 30, 120, 300, 600, 840, 1_200, 1_200].map((minutes) => minutes * minuteMs)];
/** Added at random, so that deliveries that failed together do not come back together. */
const jitter = 0.02;

export const triesMax = delaysMs.length + 1;

/** A receiver may put a try off, but not for longer than the longest delay. */
const retryAfterMsMax = 1_200 * minuteMs;

/** What is recorded of a delivery after a try. @param attempts tries before this one @param random 0 to 1 */
export function afterTry(
  { id, attempts }: Pick<LeasedDelivery, "id" | "attempts">,
  answer: PostAnswer,
  at: number,
  random: () => number = Math.random,
): DeliverySettlement {
  const { status = 0, retryAfterMs, failure: told = `HTTP ${status}` } = answer;
  if (status >= 200 && status < 300) return { id, at, result: "delivered", answer: told };
  const delay = delaysMs[attempts];
  // Gone: the receiver asks not to be called any more.
  if (status === 410 || delay === undefined) return { id, at, result: "failed", answer: told };
  const asked = Math.min(retryAfterMs ?? 0, retryAfterMsMax);
  const dueAt = at + Math.max(Math.round(delay * (1 + jitter * random())), asked);
  return { id, at, result: "later", dueAt, answer: told };
}

// What chat services are told instead: what happened and where it is. Of what a stranger wrote only the name.
type Format = (text: string, link: string | null) => object;

const slack: Format = (text, link) => ({
  // The three signs that begin links and mentions there.
  text: text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;") + (link ? ` <${link}|Open>` : ""),
});

const teams: Format = (text, link) => ({
  type: "message",
  attachments: [
    {
      contentType: "application/vnd.microsoft.card.adaptive",
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
        // Brackets make links there.
        body: [{ type: "TextBlock", wrap: true, text: text.replaceAll(/[[\]]/g, " ") }],
        actions: link ? [{ type: "Action.OpenUrl", title: "Open", url: link }] : [],
      },
    },
  ],
});

const formats: readonly (readonly [host: RegExp, format: Format])[] = [
  [/^hooks\.slack(?:-gov)?\.com$/, slack],
  [/\.(?:webhook\.office\.com|logic\.azure\.com|api\.powerplatform\.com)$/, teams],
];

/** The format of the service at an address; undefined where it is none of these. */
export function chatFormatOf(url: string): Format | undefined {
  const host = URL.parse(url)?.hostname ?? "";
  return formats.find(([pattern]) => pattern.test(host))?.[1];
}

export function sentenceOf({ event, about }: Pick<LeasedDelivery, "event" | "about">): string {
  if ("told" in about) return event === "person.erased" ? "A person was erased." : "This is a test.";
  if ("subscriber" in about)
    return event === "subscriber.confirmed"
      ? "The newsletter has a new subscriber."
      : "A subscriber left the newsletter.";
  const { kind, name, reference } = about.submission;
  if (about.answer !== undefined)
    return `${about.answer.sender === "person" ? name : "Someone"} wrote back about ${reference}.`;
  if (about.changed !== null) return `${reference} of ${name} was changed: ${about.changed.join(", ")}.`;
  return `New ${kind} from ${name} (${reference}).`;
}
