// The mails of the programs that the service is compared with: as long as the service's own, posted in batches.
import type { Filed } from "./peer-store.ts";

interface Letter {
  readonly id: number;
  readonly kind: "receipt" | "notice";
  readonly filed: Filed;
  readonly handedOver: () => void;
}

const batchMax = 500;

export class Letters {
  readonly #url: string;
  readonly #settle: () => void;
  #unsent: Letter[] = [];
  #sent: number[] = [];
  #posting = false;

  /** @param settle called when there are sent mails to take */
  constructor(url: string, settle: () => void) {
    this.#url = url;
    this.#settle = settle;
  }

  /** Resolves when the receipt was handed over. */
  send(filed: Filed, ids: readonly number[]): Promise<void> {
    return new Promise((resolve) => {
      for (const [position, kind] of filed.mails.entries()) {
        const handedOver = kind === "receipt" ? resolve : () => {};
        this.#unsent.push({ id: ids[position] ?? 0, kind, filed, handedOver });
      }
      if (!this.#posting) void this.#post();
    });
  }

  get hasSent(): boolean {
    return this.#sent.length > 0;
  }

  /** The mails that were sent and are not yet settled. */
  takeSent(): readonly number[] {
    return this.#sent.splice(0);
  }

  async #post(): Promise<void> {
    this.#posting = true;
    while (this.#unsent.length > 0) {
      const letters = this.#unsent.splice(0, batchMax);
      const response = await fetch(`${this.#url}/email/batch`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-postmark-server-token": "server-token" },
        body: JSON.stringify(letters.map(write)),
      });
      const answers = (await response.json()) as readonly { readonly ErrorCode: number }[];
      for (const [position, { id, handedOver }] of letters.entries()) {
        if (answers[position]?.ErrorCode === 0) this.#sent.push(id);
        handedOver();
      }
      this.#settle();
    }
    this.#posting = false;
  }
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
