// The mails of the program that the service is compared with: as long as the service's own, posted in batches.
import type { Filed } from "./peer-store.ts";

interface Letter {
  readonly id: number;
  readonly kind: "receipt" | "notice";
  readonly filed: Filed;
  readonly handedOver: () => void;
}

const batchMax = 500;

/**
 * Answers what sends the mails of a submission and resolves when its receipt was handed over.
 *
 * @param settle told which mails were sent
 */
export function openLetters(url: string, settle: (sent: readonly number[]) => void) {
  const unsent: Letter[] = [];
  let isPosting = false;
  const post = async () => {
    isPosting = true;
    while (unsent.length > 0) {
      const letters = unsent.splice(0, batchMax);
      const response = await fetch(`${url}/email/batch`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-postmark-server-token": "server-token" },
        body: JSON.stringify(letters.map(write)),
      });
      const answers = (await response.json()) as readonly { readonly ErrorCode: number }[];
      settle(letters.filter((_, position) => answers[position]?.ErrorCode === 0).map(({ id }) => id));
      for (const { handedOver } of letters) handedOver();
    }
    isPosting = false;
  };
  return (filed: Filed, ids: readonly number[]): Promise<void> =>
    new Promise((resolve) => {
      for (const [position, kind] of filed.mails.entries())
        unsent.push({ id: ids[position] ?? 0, kind, filed, handedOver: kind === "receipt" ? resolve : () => {} });
      if (!isPosting) void post();
    });
}

const style = `<style>${".card{padding:24px 20px;background:#1c1f24;border-color:#343a42}".repeat(22)}</style>`;
const cell =
  '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;font-size:16px;line-height:1.55;text-align:left"><tr><td style="padding:24px 12px">';
const escape = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

function write({ kind, filed: { id, email, facts } }: Letter) {
  const subject = kind === "receipt" ? `We received your submission ${id}` : `New submission ${id}`;
  const rows = facts.map(([label, value]) => `${cell}<div>${label}</div><div>${escape(value)}</div></td></tr></table>`);
  return {
    From: "desk@marketplace.example",
    To: kind === "receipt" ? email : "sales@marketplace.example",
    Subject: subject,
    TextBody: facts.map((fact) => fact.join(": ")).join("\n"),
    HtmlBody: `<!doctype html><html lang="en"><head>${style}<title>${subject}</title></head><body>${cell}<h1>${subject}</h1>${rows.join("")}</td></tr></table></body></html>`,
    MessageStream: "outbound",
    Metadata: { kind, submission: id },
  };
}
