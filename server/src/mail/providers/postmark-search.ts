// Asks Postmark whether it has mails, by the outbox id that travels in their metadata. Sends nothing.
import type { MailFinding } from "../mailer.ts";
import type { PostmarkApi } from "./postmark-call.ts";
import { judgeSearch, unsent } from "./postmark-verdict.ts";

/** The search takes one id a call. */
const searchesAtOnceMax = 10;

/** Answers in the order of the ids. Once a search has failed the rest are not made: they share its failure. */
export async function searchPostmark(api: PostmarkApi, ids: readonly string[]): Promise<MailFinding[]> {
  const endsAt = performance.now() + api.timeoutMs;
  const findings: MailFinding[] = [];
  let failure: MailFinding | null = null;
  let next = 0;
  const search = async () => {
    while (next < ids.length) {
      const position = next++;
      const finding: MailFinding = failure ?? (await searchOne(api, endsAt, ids[position]!));
      findings[position] = finding;
      if (finding.result === "later") failure = finding;
    }
  };
  await Promise.all(Array.from({ length: searchesAtOnceMax }, search));
  return findings;
}

async function searchOne(api: PostmarkApi, endsAt: number, id: string): Promise<MailFinding> {
  if (performance.now() >= endsAt) return unsent("no time left");
  const exchange = await api.call(endsAt, (client) =>
    client.getOutboundMessages({ count: 1, offset: 0, messagestream: api.messageStream, metadata_mailId: id }),
  );
  return judgeSearch(exchange, id);
}
