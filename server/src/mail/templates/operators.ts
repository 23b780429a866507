// Mails to operators: the daily digest, what others have assigned to one of them, and the link that sets a password. They name no person who wrote to us.
import { html } from "@submissions/shared/html";
import { kindOf, submissionKinds } from "@submissions/shared/kinds";
import { consolePageOf, counted, utcMinute } from "../../field-values.ts";
import type { Answered, Assignment, Digest, Invitation, StoredSubmission } from "../../storage/records.ts";
import { bulletList, button, layout, link, paragraph, textOf, type MailSettings, type Written } from "./layout.ts";

type Item = readonly [words: string, url: string, more?: string];

interface OperatorMail {
  readonly heading: string;
  readonly subject?: string;
  /** Lines, and lists of links. */
  readonly blocks: readonly (string | readonly Item[])[];
  readonly button: Item;
  readonly why: string;
}

function write(
  { heading, subject = heading, blocks, button: [words, url], why }: OperatorMail,
  { brand }: MailSettings,
): Written {
  return {
    subject,
    text: textOf(
      `${heading}.`,
      ...blocks.map((block) =>
        typeof block === "string" ? block : block.map(([label, to, more = ""]) => `  - ${label}${more}: ${to}`),
      ),
      `${words}: ${url}`,
      brand,
      ["--", why],
    ),
    html: layout({
      language: "en",
      subject,
      brand,
      heading,
      preheader: heading,
      body: [
        ...blocks.map((block) =>
          typeof block === "string"
            ? paragraph(block)
            : bulletList(block.map(([label, to, more]) => html`${link(to, label)}${more}`)),
        ),
        button({ url, words, or: "Or open this address:" }),
      ],
      signature: null,
      footer: why,
    }).text,
  };
}

/** What is counted, each with the page that lists it. What is 0 is left out. */
function* countsOf({ mails, ...submissions }: Digest, console: string): Generator<Item> {
  for (const kind of submissionKinds) {
    const { label, plural } = kindOf(kind).words.en;
    for (const status of ["new", "open"] as const) {
      const count = submissions[kind][status];
      const words = counted(count, `${status} ${label.toLowerCase()}`, `${status} ${plural.toLowerCase()}`);
      if (count > 0) yield [words, `${console}?kind=${kind}&status=${status}`];
    }
  }
  const { failed, inDoubt } = mails;
  if (failed > 0) yield [counted(failed, "failed mail"), `${console}/mails?status=failed`];
  if (inDoubt > 0) yield [counted(inDoubt, "mail in doubt", "mails in doubt"), `${console}/mails?status=in-doubt`];
}

export function writeDigest(digest: Digest, settings: MailSettings): Written {
  const publicUrl = settings.publicUrl();
  const consoleUrl = `${publicUrl}/console`;
  const counts = [...countsOf(digest, consoleUrl)];
  const { lastBackupAt } = digest;
  const nothing = lastBackupAt === undefined ? "Nothing waits" : "A backup was missed";
  const waiting = submissionKinds.reduce((sum, kind) => sum + digest[kind].new, 0);
  const heading = counts.length === 0 ? nothing : waiting === 0 ? "Nothing new waits" : `${waiting} new in the inbox`;
  const longest = digest.longest.map(({ reference, receivedAt }): Item => [
    reference,
    consolePageOf(publicUrl, reference),
    ` since ${utcMinute(receivedAt)}`,
  ]);
  return write(
    {
      heading,
      subject: `${heading} (${digest.day})`,
      blocks: [
        ...(counts.length === 0 ? [] : [counts]),
        ...(longest.length === 0 ? [] : ["Waiting longest:", longest]),
        ...(lastBackupAt === undefined ? [] : [`The last whole backup was made at ${utcMinute(lastBackupAt)}.`]),
      ],
      button: ["Open the console", consoleUrl],
      why: "You get this mail each day because this address is set as DIGEST_EMAIL.",
    },
    settings,
  );
}

const listedMax = 50;

export function writeAssignment({ email, assigned }: Assignment, settings: MailSettings): Written {
  const publicUrl = settings.publicUrl();
  const consoleUrl = `${publicUrl}/console`;
  const all = Object.entries(assigned).map(([reference, name]): Item => [
    reference,
    consolePageOf(publicUrl, reference),
    `, assigned by ${name}`,
  ]);
  const left = all.length - listedMax;
  return write(
    {
      heading: all.length === 1 ? `${all[0]![0]} is assigned to you` : `${all.length} submissions are assigned to you`,
      blocks: [all.slice(0, listedMax), ...(left > 0 ? [`And ${left} more.`] : [])],
      button: ["All that is assigned to you", `${consoleUrl}?assignee=${encodeURIComponent(email)}`],
      why: "You get this mail because your account of the console is mailed of assignments. Its settings turn that off.",
    },
    settings,
  );
}

export function writeAnswered({ reference }: StoredSubmission, { verified }: Answered, settings: MailSettings) {
  return write(
    {
      heading: `There is an answer to ${reference}`,
      blocks: [
        verified ? "The sender is verified." : "Sender not verified: it may not be the person who wrote to us.",
        "Your reply goes out from the console, not from this mail. Further answers within ten minutes send no mail.",
      ],
      button: ["Open it", consolePageOf(settings.publicUrl(), reference)],
      why: "You get this mail because you are its assignee, or, where it has none, of its team.",
    },
    settings,
  );
}

export function writeInvitation({ token }: Invitation, settings: MailSettings): Written {
  return write(
    {
      heading: `Your account of the ${settings.brand} console`,
      blocks: [
        "An administrator has made this link for you. It sets your password, works once, and ends after 7 days.",
      ],
      button: ["Set a password", `${settings.publicUrl()}/console/invitation#token=${token}`],
      why: "You get this mail because an administrator invited this address. If you did not expect it, ignore it.",
    },
    settings,
  );
}
