// What chat services are told instead: Slack and Microsoft Teams show a message of their own format and nothing else. The
// message says what happened and where it is; what a stranger wrote stays in the console, but for the name.
import type { LeasedDelivery } from "../storage/webhook-store.ts";

/** Writes the body for the service. */
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

/** What happened, in a sentence. */
export function sentenceOf({ event, about }: Pick<LeasedDelivery, "event" | "about">): string {
  if ("told" in about) return event === "person.erased" ? "A person was erased." : "This is a test.";
  if ("subscriber" in about)
    return event === "subscriber.confirmed"
      ? "The newsletter has a new subscriber."
      : "A subscriber left the newsletter.";
  const { kind, name, reference } = about.submission;
  if (about.changed !== null) return `${reference} of ${name} was changed: ${about.changed.join(", ")}.`;
  return `New ${kind} from ${name} (${reference}).`;
}
