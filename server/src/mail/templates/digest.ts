// The daily mail to the team: what waits, with links to the console. Names no person.
import { html } from "@submissions/shared/html";
import type { Digest } from "../../storage/records.ts";
import { bulletList, button, layout, link, textOf, type Written } from "./layout.ts";
import { plurals, utcMinute } from "./notice.ts";

interface DigestFacts {
  readonly brand: string;
  readonly publicUrl: string;
}

const why = "You get this mail each day because this address is set as DIGEST_EMAIL.";

const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

/** What is counted, each with the page that lists it. What is 0 is left out. */
function* countsOf({ mails, ...submissions }: Digest, console: string) {
  for (const kind of ["inquiry", "application"] as const) {
    for (const status of ["new", "open"] as const) {
      const count = submissions[kind][status];
      if (count === 0) continue;
      const words = counted(count, `${status} ${kind}`, `${status} ${plurals[kind]}`);
      yield { words, url: `${console}?kind=${kind}&status=${status}` };
    }
  }
  if (mails.failed > 0) {
    yield { words: counted(mails.failed, "failed mail", "failed mails"), url: `${console}/mails?status=failed` };
  }
  if (mails.inDoubt > 0) {
    yield { words: counted(mails.inDoubt, "mail in doubt", "mails in doubt"), url: `${console}/mails?status=in-doubt` };
  }
}

export function writeDigest(digest: Digest, { brand, publicUrl }: DigestFacts): Written {
  const consoleUrl = `${publicUrl}/console`;
  const counts = [...countsOf(digest, consoleUrl)];
  const waiting = digest.inquiry.new + digest.application.new;
  const heading =
    counts.length === 0 ? "Nothing waits" : waiting === 0 ? "Nothing new waits" : `${waiting} new in the inbox`;
  const subject = `${heading} (${digest.day})`;
  const longest = digest.longest.map(({ kind, reference, receivedAt }) => ({
    reference,
    since: `since ${utcMinute(receivedAt)}`,
    url: `${consoleUrl}/${plurals[kind]}/${reference}`,
  }));
  return {
    subject,
    text: textOf(
      `${heading}.`,
      counts.length === 0 ? null : counts.map(({ words, url }) => `  - ${words}: ${url}`),
      longest.length === 0
        ? null
        : ["Waiting longest:", ...longest.map(({ reference, since, url }) => `  - ${reference} ${since}: ${url}`)],
      `Open the console: ${consoleUrl}`,
      brand,
      ["--", why],
    ),
    // One mail a day: it needs no frame.
    html: layout({
      language: "en",
      subject,
      brand,
      heading,
      preheader: heading,
      body: html`${bulletList(counts.map(({ words, url }) => link(url, words)))}
      ${
        longest.length > 0 &&
        html`<p style="margin:0 0 4px">Waiting longest:</p>
          ${bulletList(longest.map(({ reference, since, url }) => html`${link(url, reference)} ${since}`))}`
      }${button(consoleUrl, "Open the console", "Or open this address:")}`,
      footer: why,
    }).text,
  };
}
