// The configuration that the service runs with: checked values, whatever way they were set.
import type { OpenIdConnectSettings } from "../console/open-id-connect.ts";
import type { TrustedProxies } from "../http/gate/client-address.ts";
import type { ChallengeSettings } from "../intake/proof-of-work.ts";
import type { MailTransport } from "../mail/open-mailer.ts";
import type { Sender } from "../mail/sender.ts";
import type { LogLevel } from "../observe/log.ts";
import type { TracingSettings } from "../observe/otlp-traces.ts";
import type { VaultSettings } from "../resumes/open-vault.ts";
import type { ClamdAddress } from "../resumes/scanning.ts";
import type { StoreLocation } from "../storage/open-store.ts";
import type { WebhookTargets } from "../webhooks/target.ts";
import type { CataloguePackage } from "./catalogue.ts";

/** Everything that can be set, checked. */
export interface Config {
  /** What pages and mails call us. */
  readonly brand: string;
  /** `web` takes submissions, `worker` sends mail that is due and scans resumes, `all` does both. */
  readonly mode: "all" | "web" | "worker";
  /** Where to listen. Port 0 is any free one. */
  readonly listen: { readonly host: string; readonly port: number };
  /** The base address in links, without a trailing slash; null: derived once the port is known, by {@link publicUrl}. */
  readonly publicUrl: string | null;
  /** Absolute. Made by the code that opens what lies in it. */
  readonly dataFolder: string;
  readonly storage: StoreLocation;
  readonly vault: VaultSettings;
  /** The virus scanner; null: resumes are not scanned. */
  readonly scanner: ClamdAddress | null;
  readonly mail: MailTransport;
  /** Sender, and the teams that get notices of inquiries and applications; the lists are never empty. */
  readonly addresses: {
    readonly from: Sender;
    readonly sales: readonly string[];
    readonly recruiting: readonly string[];
  };
  /** How long an answer waits for its confirmation mail, in milliseconds. */
  readonly mailDeadlineMs: number;
  /** Credentials of the Postmark webhook; null: the path does not exist. */
  readonly postmarkWebhook: { readonly user: string; readonly password: string } | null;
  readonly newsletterOptIn: "double" | "single";
  /** Packages that may be asked for; null: any identifier. */
  readonly packages: readonly CataloguePackage[] | null;
  /** What submissions cost a client; null: nothing. */
  readonly proofOfWork: ChallengeSettings | null;
  /** The privacy notice that the site's forms link to, and its version; null: there is none. */
  readonly privacy: { readonly url: string; readonly consent: string } | null;
  /** Hosts of throw-away addresses beside those that are known everywhere, in lower case and ASCII. */
  readonly disposableDomains: readonly string[];
  /** Origins whose pages may call from a browser; empty: none. */
  readonly corsOrigins: readonly string[];
  readonly trustedProxy: TrustedProxies;
  /** Submissions per client address in a window. */
  readonly rateLimit: { readonly max: number; readonly windowSeconds: number };
  /** Days after which submissions are erased; null: they are kept. */
  readonly retentionDays: Readonly<Record<"inquiry" | "application" | "spam", number | null>>;
  readonly webhookTargets: WebhookTargets;
  /** Who gets the daily digest, and when: minutes since midnight, UTC. Null: no digest is sent. */
  readonly digest: { readonly to: readonly string[]; readonly atMinute: number } | null;
  /** The identity provider that operators may sign in with; null: passwords only. */
  readonly oidc: OpenIdConnectSettings | null;
  /** The Bearer token of `/metrics`; null: none is asked for. */
  readonly metricsToken: string | null;
  /** Where traces are sent to; null: nothing is traced. */
  readonly tracing: TracingSettings | null;
  readonly log: { readonly level: LogLevel };
}

/**
 * The base address in links, without a trailing slash: what was set, or else host and port.
 *
 * @param port the port that is really listened on, which differs from the setting when that is 0
 */
export function publicUrl(config: Pick<Config, "publicUrl" | "listen">, port: number = config.listen.port): string {
  if (config.publicUrl !== null) return config.publicUrl;
  const { host } = config.listen;
  // 0.0.0.0 and :: are no addresses to visit. The machine itself, at least, can follow a link to localhost.
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}${port === 80 ? "" : `:${port}`}`;
}
