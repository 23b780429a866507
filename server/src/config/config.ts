// The configuration that the service runs with: checked values, whatever way they were set.
import { join } from "node:path";
import type { OpenIdConnectSettings } from "../console/open-id-connect.ts";
import { ofKinds, serverKinds } from "../kinds.ts";
import { transportOf } from "../mail/transports.ts";
import type { TracingSettings } from "../observe/traces.ts";
import type { VaultSettings } from "../resumes/open-vault.ts";
import type { StoreLocation } from "../storage/open-store.ts";
import { samplePackages } from "./catalogue.ts";
import { builtInLanguages, type Languages, mailsOf } from "./languages.ts";
import { Openings } from "./openings.ts";
import type { Values } from "./settings.ts";

type Made = ReturnType<typeof configFrom>;

/** All settings, checked. The type makes them and their parts read-only. */
export type Config = { readonly [Name in keyof Made]: Readonly<Made[Name]> };

export function configFrom(values: Values) {
  const { name, address } = values.MAIL_FROM;
  const languages: Languages = new Map([...builtInLanguages, ...(values.LANGUAGES ?? [])]);
  return {
    /** What pages and mails call us. An address is no name: the host of its owner is, if need be. */
    brand: values.BRAND ?? name ?? address.slice(address.indexOf("@") + 1),
    /** `web` takes submissions, `worker` does the work behind them, `all` does both. */
    mode: values.SERVICE_MODE,
    listen: { host: values.HOST, port: values.PORT },
    /** The base address in links, without a trailing slash; null: derived once the port is known, by {@link publicUrl}. */
    publicUrl: values.PUBLIC_URL,
    /** Absolute. Made by the code that opens what lies in it. */
    dataFolder: values.DATA_DIR,
    storage: storageOf(values),
    vault: vaultOf(values),
    scanner: values.CLAMD_ADDRESS,
    mail: transportOf(values.MAIL_TRANSPORT, values),
    /** Sender, and the teams that get notices of each kind of submission; the lists are never empty. */
    addresses: { from: values.MAIL_FROM, teams: ofKinds((kind) => values[serverKinds[kind].settings.team]) },
    /** What mails to persons look like: their words, the image above them, the lines below. */
    mailLook: {
      words: new Map([...mailsOf(languages), ...(values.MAIL_TEMPLATES ?? [])]),
      logo: values.MAIL_LOGO_URL,
      signature: values.MAIL_SIGNATURE?.split("\\n") ?? [],
    },
    /** Of forms, pages and mails to persons. */
    languages,
    mailDeadlineMs: values.MAIL_DEADLINE_MS,
    postmarkWebhook: values.POSTMARK_WEBHOOK_AUTH,
    inbound: inboundOf(values),
    newsletterOptIn: values.NEWSLETTER_OPT_IN,
    /** Packages that may be asked for; null: any identifier. */
    packages: values.PACKAGE_CATALOGUE,
    /** Packages that pages show, and mails and the console name. */
    knownPackages: values.PACKAGE_CATALOGUE ?? (values.SITE === "on" ? samplePackages : []),
    /** What one may apply for; null: any text. */
    openings: values.OPENINGS && new Openings(values.OPENINGS),
    proofOfWork: values.ALTCHA_HMAC_KEY === null ? null : { hmacKey: values.ALTCHA_HMAC_KEY, cost: values.ALTCHA_COST },
    privacy: values.PRIVACY_URL === null ? null : { url: values.PRIVACY_URL, consent: values.PRIVACY_VERSION },
    /** Hosts of throw-away addresses beside those that are known everywhere, in lower case and ASCII. */
    disposableDomains: values.DISPOSABLE_DOMAINS,
    corsOrigins: values.CORS_ORIGINS,
    hasFrontPage: values.SITE === "on",
    trustedProxy: values.TRUST_PROXY,
    rateLimit: { max: values.RATE_LIMIT_MAX, windowSeconds: values.RATE_LIMIT_WINDOW_SECONDS },
    /** Days after which submissions are erased; null: they are kept. */
    retentionDays: {
      ...ofKinds((kind) => values[serverKinds[kind].settings.retention]),
      spam: values.RETENTION_DAYS_SPAM,
      declined: values.RETENTION_DAYS_DECLINED,
    },
    webhookTargets: values.WEBHOOK_TARGETS,
    /** Who gets the daily digest, and when: minutes since midnight, UTC. Null: no digest is sent. */
    digest: values.DIGEST_EMAIL.length === 0 ? null : { to: values.DIGEST_EMAIL, atMinute: values.DIGEST_AT },
    replyCopies: values.REPLY_COPIES === "on",
    oidc: oidcOf(values),
    passwordsOn: values.CONSOLE_PASSWORDS === "on",
    totpRequired: values.CONSOLE_TOTP === "required",
    metricsToken: values.METRICS_TOKEN,
    tracing: tracingOf(values),
    log: { level: values.LOG_LEVEL },
    /** What only `doctor` needs. */
    dkimSelector: values.MAIL_DKIM_SELECTOR,
    dnsServer: values.DNS_SERVER,
  };
}

/** How answers of persons come in; null: they go to the team's own mailbox. */
function inboundOf(values: Values) {
  const { INBOUND_ADDRESS: address, INBOUND_WEBHOOK_AUTH: webhook, INBOUND_AUTHSERV_ID: authservId } = values;
  const { IMAP_URL: imap, IMAP_OAUTH: oauth } = values;
  return address === null ? null : { address, webhook, authservId, imap: imap && { ...imap, oauth } };
}

function oidcOf(values: Values): OpenIdConnectSettings | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = values;
  // All three or none: load.ts saw to it.
  return issuer === null || clientId === null || clientSecret === null ? null : { issuer, clientId, clientSecret };
}

function tracingOf(values: Values): TracingSettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = values;
  if (endpoint === null) return null;
  const { OTEL_SERVICE_NAME: serviceName, OTEL_TRACES_SAMPLER_ARG: share } = values;
  return { endpoint, headers: headers ?? {}, serviceName, share };
}

function storageOf(values: Values): StoreLocation {
  const { DATABASE_URL: url, DATABASE_POOL_MAX: poolMax } = values;
  if (url === null) return { kind: "sqlite", file: join(values.DATA_DIR, "submissions.sqlite") };
  return { kind: "postgres", url, poolMax };
}

function vaultOf(values: Values): VaultSettings {
  const { RESUME_STORE: place, S3_ENDPOINT: endpoint, S3_REGION: region, RESUME_DOWNLOAD: download } = values;
  const folder = join(values.DATA_DIR, "resumes");
  if (place === null) return { kind: "disk", folder };
  return {
    kind: "s3",
    ...place,
    endpoint,
    // Most stores that are not Amazon's have no regions, and sign with this one.
    region: region ?? (endpoint === null ? null : "us-east-1"),
    links: download === "presigned",
    folder,
  };
}

/** The base address in links, without a trailing slash: what was set, or else the host and the port that is listened on. */
export function publicUrl(config: Pick<Config, "publicUrl" | "listen">, port: number = config.listen.port): string {
  if (config.publicUrl !== null) return config.publicUrl;
  const { host } = config.listen;
  // 0.0.0.0 and :: are no addresses to visit. The machine itself, at least, can follow a link to localhost.
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}${port === 80 ? "" : `:${port}`}`;
}
