// What DNS says of the addresses that mails come from and answers go to: SPF, DKIM, DMARC and MX.
import { Resolver } from "node:dns/promises";
import { isSystemError } from "../file-errors.ts";

const tryMs = 2_000;
const tries = 2;

/** Looks records up. Rejects with a system error when no server answers. */
export class RecordReader {
  readonly #resolver = new Resolver({ timeout: tryMs, tries });

  /** @param server `address:port`; null: the system's */
  constructor(server: string | null) {
    if (server !== null) this.#resolver.setServers([server]);
  }

  /** @param selector null: it is not known */
  async ofSender(host: string, selector: string | null) {
    const [spf, dkim, dmarc] = await Promise.all([
      this.#texts(host, /^v=spf1(?: |$)/i),
      selector === null ? null : this.#texts(`${selector}._domainkey.${host}`, /(?:^|;)\s*p\s*=\s*[A-Za-z0-9+/]/),
      this.#dmarc(host),
    ]);
    const found: string[] = [];
    const missing: string[] = [];
    if (spf.length === 1) found.push("SPF");
    else
      missing.push(
        spf.length === 0 ? `SPF (TXT of ${host})` : `one SPF record in place of ${spf.length} (TXT of ${host})`,
      );
    if (dkim === null) missing.push("the selector of DKIM (set MAIL_DKIM_SELECTOR)");
    else if (dkim.length > 0) found.push("DKIM");
    else missing.push(`DKIM (TXT of ${selector}._domainkey.${host})`);
    if (dmarc.length > 0) found.push("DMARC");
    else missing.push(`DMARC (TXT of _dmarc.${host})`);
    return { found, missing };
  }

  /** The servers that take mail for a host, best first. Empty: it takes none. */
  async mailServers(host: string): Promise<string[]> {
    const servers = await none(this.#resolver.resolveMx(host));
    // A single dot says that the host takes no mail (RFC 7505).
    return servers
      .toSorted((a, b) => a.priority - b.priority)
      .map(({ exchange }) => exchange)
      .filter((exchange) => !["", "."].includes(exchange));
  }

  /** A domain's policy holds for the hosts below it. */
  async #dmarc(host: string): Promise<string[]> {
    const labels = host.split(".");
    for (let at = 0; at < labels.length - 1 && at < 5; at += 1) {
      const found = await this.#texts(`_dmarc.${labels.slice(at).join(".")}`, /^v=DMARC1(?:;|\s|$)/);
      if (found.length > 0) return found;
    }
    return [];
  }

  async #texts(name: string, pattern: RegExp): Promise<string[]> {
    const texts = await none(this.#resolver.resolveTxt(name));
    return texts.map((parts) => parts.join("")).filter((text) => pattern.test(text));
  }
}

/** No records where there is no such name, or it has others. */
const none = <T>(looking: Promise<T[]>): Promise<T[]> =>
  looking.catch((error: unknown) => {
    if (isSystemError(error) && (error.code === "ENOTFOUND" || error.code === "ENODATA")) return [];
    throw error;
  });
