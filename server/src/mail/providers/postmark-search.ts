// Asks Postmark whether it has mails, by the outbox id that travels in their metadata. Sends nothing.
import type { MailFinding } from "../mailer.ts";
import { callPostmark, type PostmarkSettings } from "./postmark-call.ts";
import { judgeSearch, unsent } from "./postmark-verdict.ts";

/** The search takes one id a call. */
const searchesAtOnceMax = 10;

/** Answers in the order of the ids. Once a search has failed the rest are not made: they share its failure. */
export async function searchPostmark(
  settings: PostmarkSettings,
  endsAt: number,
  ids: readonly string[],
): Promise<MailFinding[]> {
  const findings: MailFinding[] = [];
  let failure: MailFinding | null = null;
  let next = 0;
  const search = async () => {
    while (next < ids.length) {
      const position = next++;
      const finding: MailFinding = failure ?? (await searchOne(settings, endsAt, ids[position]!));
      findings[position] = finding;
      if (finding.result === "later") failure = finding;
    }
  };
  await Promise.all(Array.from({ length: searchesAtOnceMax }, search));
  return findings;
}

async function searchOne(settings: PostmarkSettings, endsAt: number, id: string): Promise<MailFinding> {
  if (performance.now() >= endsAt) return unsent("no time left");
  const exchange = await callPostmark(settings, endsAt, (client) =>
    client.getOutboundMessages({
      count: 1,
      offset: 0,
      messagestream: settings.messageStream ?? "outbound",
      metadata_mailId: id,
    }),
  );
  return judgeSearch(exchange, id);
}
