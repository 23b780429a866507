// The one table of settings. Parsing, `check-config`, the warning about misspelt names and the tables of README.md and
// docs/config.md are made from it.
import type { LogLevel } from "../observe/log.ts";
import { transportNames } from "../mail/transports.ts";
import { catalogue, disposableDomains } from "./catalogue.ts";
import * as types from "./setting-types.ts";
import { languages } from "./languages.ts";
import { openings } from "./openings.ts";
import { mailWords } from "./mail-words.ts";

interface Facts {
  readonly means: string;
  /** Which values are allowed and what they do, in Markdown. */
  readonly values: string;
  /** Where the values need one. */
  readonly example?: string;
}

export interface Setting<T = unknown> extends Facts {
  readonly type: types.SettingType<T>;
  /** What is in force when the variable is unset, as one would set it. Empty: an empty list; null: nothing. */
  readonly default: string | null;
  /** What holds then, in Markdown, when there is no default. */
  readonly unset: string;
  readonly secret?: true;
}

const valued = <T>(type: types.SettingType<T>, value: string, facts: Facts): Setting<T> => {
  return { type, default: value, unset: "", ...facts };
};

const optional = <T>(type: types.SettingType<T>, unset: string, facts: Facts): Setting<T | null> => {
  return { type, default: null, unset, ...facts };
};

const secret = <T>(type: types.SettingType<T>, unset: string, facts: Facts): Setting<T | null> => {
  return { ...optional(type, unset, facts), secret: true };
};

const listed = <T>(type: types.SettingType<readonly T[]>, unset: string, facts: Facts): Setting<readonly T[]> => {
  return { type, default: "", unset, ...facts };
};

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const satisfies readonly LogLevel[];

const network = {
  HOST: valued(types.host, "127.0.0.1", {
    means: "address to listen on",
    values: "A host name or an IP address; `0.0.0.0` or `::` for every interface.",
  }),
  PORT: valued(types.wholeNumber(0, 65_535), "3000", {
    means: "port to listen on",
    values: "0 to 65,535; `0` is any free port.",
  }),
  PUBLIC_URL: optional(types.httpUrl, "`http://HOST:PORT`", {
    means: "base address of links in mail and of the OpenAPI document",
    values:
      "Perhaps with a path, if a proxy takes it off before the service. Links are made from it and never from a request.",
  }),
  CORS_ORIGINS: listed(types.originList, "none", {
    means: "origins whose pages may call from a browser",
    values: "Exact ones: no `*`, `null`, patterns, paths or closing slashes.",
    example: "https://www.example.org, https://shop.example.org",
  }),
  SITE: valued(types.oneOf("on", "off"), "on", {
    means: "whether the sample site is shown",
    values: "`on`; `off` takes away the front page, and the sample of packages.",
  }),
  TRUST_PROXY: valued(types.trustedProxy, "0", {
    means: "the proxies in front of the service",
    values:
      "How many there are (0 to 32), or their addresses and networks, but no `/0`. With `0`, all callers behind a proxy share one rate limit.",
    example: "10.0.0.0/8, ::1",
  }),
  RATE_LIMIT_MAX: valued(types.wholeNumber(1, 1_000_000), "60", {
    means: "submissions per client address in a window",
    values: "1 to 1,000,000; [what counts](abuse.md#rate-limit).",
  }),
  RATE_LIMIT_WINDOW_SECONDS: valued(types.wholeNumber(1, 86_400), "60", {
    means: "length of that window in seconds",
    values: "1 to 86,400.",
  }),
};

const storage = {
  DATA_DIR: valued(types.path, "./data", {
    means: "folder of database, resumes and local mailbox",
    values: "On a local disk; a relative path begins at the working directory.",
  }),
  DATABASE_URL: secret(types.postgresUrl, "SQLite in `DATA_DIR`", {
    means: "PostgreSQL, for more than one process or machine",
    values:
      "`postgres://user:password@host:port/database`. Parameters: [`sslmode`](storage.md#the-connection) (`verify-full`, `require`, `disable`), `sslrootcert` (file of the authority), `host` (folder of a Unix socket, as in `postgres:///submissions?host=/run/postgresql`), and no others. Without `sslmode` a server on this machine is reached unencrypted, any other as with `verify-full`.",
  }),
  DATABASE_POOL_MAX: valued(types.wholeNumber(1, 100), "4", {
    means: "connections of one process to PostgreSQL",
    values: "1 to 100; more is rarely better.",
  }),
  SERVICE_MODE: valued(types.oneOf("all", "web", "worker"), "all", {
    means: "what this process does",
    values:
      "`web` takes submissions, `worker` does the [work behind them](operations.md#several-processes), `all` both. `web` and `worker` need `DATABASE_URL`, the links in a worker's mails `PUBLIC_URL`.",
  }),
  RESUME_STORE: optional(types.s3Address, "`DATA_DIR/resumes`", {
    means: "bucket of an S3 store for resumes",
    values:
      "`s3://bucket` or `s3://bucket/prefix`; the prefix is made of letters, digits, `.`, `-`, `_` and `/`, and belongs to one database. Needs [two packages](resumes.md#the-vault-in-an-object-store).",
  }),
  S3_ENDPOINT: optional(types.httpUrl, "Amazon's", {
    means: "base address of another S3 store",
    values: "Buckets are then addressed by path.",
  }),
  S3_REGION: optional(types.token(), "found by the SDK; `us-east-1` with `S3_ENDPOINT`", {
    means: "region of the bucket",
    values: "One word.",
  }),
  RESUME_DOWNLOAD: valued(types.oneOf("proxied", "presigned"), "proxied", {
    means: "how operators get resumes",
    values:
      "`proxied`: through this service. `presigned`: also by links into the bucket, which anyone can follow for five minutes; needs `RESUME_STORE`.",
  }),
  CLAMD_ADDRESS: optional(types.clamdAddress, "none", {
    means: "ClamAV daemon that scans resumes and files of replies",
    values: "`host:port`, or the absolute path of a socket ([when](resumes.md#virus-scanning)).",
  }),
};

const mail = {
  MAIL_TRANSPORT: valued(types.oneOf(...transportNames), "mailbox", {
    means: "how mail is sent",
    values: "`mailbox` writes files under `DATA_DIR/mailbox`; `postmark`; `smtp`.",
  }),
  POSTMARK_SERVER_TOKEN: secret(types.token(), "none", {
    means: "token of the Postmark server",
    values: "One word. Required with `postmark`.",
  }),
  POSTMARK_API_URL: optional(types.httpUrl, "Postmark's", {
    means: "another address of Postmark's interface",
    values: "For tests.",
  }),
  POSTMARK_WEBHOOK_AUTH: secret(types.webhookCredentials, "none", {
    means: "credentials of `/webhooks/postmark`",
    values:
      "`user:password`; the password has at least 24 characters. [Postmark reports](mail.md#the-webhook) bounces and complaints there. Unset, the path does not exist.",
  }),
  SMTP_URL: secret(types.smtpUrl, "none", {
    means: "the SMTP server",
    values:
      "`smtps://user:password@host:port` or `smtp://…`, with [parameters](mail.md#the-mailers). Required with `smtp`.",
  }),
  SMTP_OAUTH: secret(types.oauthUrl, "the password in `SMTP_URL`", {
    means: "how tokens for the SMTP server are got (OAuth 2.0, XOAUTH2)",
    values:
      "The provider's token endpoint with your client and refresh token: `https://client:secret@host/path?refresh_token=…&scope=…`, percent-encoded; the user stands in `SMTP_URL`. [How to get one](mail.md#oauth).",
  }),
  MAIL_FROM: valued(types.namedAddress, "Speech Marketplace <no-reply@marketplace.example>", {
    means: "sender of all mail",
    values: "Must be set with `postmark` and `smtp`.",
    example: "Speech Marketplace <no-reply@example.org>",
  }),
  MAIL_DKIM_SELECTOR: optional(types.token(), "`pm` with `postmark`, or else DKIM is not looked at", {
    means: "selector of the key that mails are signed with (DKIM), for `doctor`",
    values: "The word before `._domainkey` in the name of its record.",
    example: "20261128101112pm",
  }),
  DNS_SERVER: optional(types.dnsServer, "the system's", {
    means: "another DNS server for `doctor`",
    values: "`address:port`. For tests.",
  }),
  BRAND: optional(types.line(80), "the name in `MAIL_FROM`, or else its host", {
    means: "what pages and mails call you",
    values: "At most 80 characters.",
    example: "Speech Marketplace",
  }),
  MAIL_TEMPLATES: optional(mailWords, "built in", {
    means: "folder with words of one's own for the mails",
    values: "[A text file a mail and language](mail.md#words-of-your-own).",
  }),
  LANGUAGES: optional(languages, "English and German", {
    means: "folder with more languages for forms, pages and mails",
    values: "[A file a language](languages.md).",
  }),
  MAIL_LOGO_URL: optional(types.httpUrl, "the name", {
    means: "address of an image above mails to persons",
    values: "Shown 40 pixels high.",
  }),
  MAIL_SIGNATURE: optional(types.lines(500), "the name", {
    means: "signature of mails to persons",
    values: "At most 500 characters; `\\n` begins a new line (for systemd in quotation marks).",
    example: "Example GmbH\\nwww.example.org",
  }),
  SALES_EMAIL: valued(types.addressList, "sales@marketplace.example", {
    means: "team that gets notices of inquiries",
    values: "Up to 50 addresses. Must be set with `postmark` and `smtp`.",
    example: "sales@example.org, desk@example.org",
  }),
  RECRUITING_EMAIL: valued(types.addressList, "recruiting@marketplace.example", {
    means: "team that gets notices of applications",
    values: "As `SALES_EMAIL`.",
  }),
  MAIL_DEADLINE_MS: valued(types.wholeNumber(0, 15_000), "2000", {
    means: "how long an answer waits for its confirmation mail, in milliseconds",
    values: "0 to 15,000. The mail is sent all the same.",
  }),
};

const answers = {
  INBOUND_ADDRESS: optional(types.inboundAddress, "answers go to the team", {
    means: "address that persons answer to",
    values:
      "Of its own, with [plus-addresses](answers.md#what-it-needs), and at most 32 characters before the `@`. Needs `INBOUND_WEBHOOK_AUTH` or `IMAP_URL`.",
    example: "answers@example.org",
  }),
  INBOUND_WEBHOOK_AUTH: secret(types.webhookCredentials, "none", {
    means: "credentials of `/webhooks/postmark/inbound`",
    values:
      "`user:password`; the password has at least 24 characters. Postmark hands mails over there. Unset, the path does not exist.",
  }),
  IMAP_URL: secret(types.imapUrl, "none", {
    means: "mailbox that answers are fetched from",
    values:
      "`imaps://user:password@host:port/MAILBOX`, percent-encoded; without a mailbox it is `INBOX`. `imap://` begins with STARTTLS, which only servers on this machine may lack. The parameter `tls.rejectUnauthorized=false` takes any certificate. [What it does there](answers.md#over-imap).",
  }),
  IMAP_OAUTH: secret(types.oauthUrl, "the password in `IMAP_URL`", {
    means: "how tokens for the IMAP server are got",
    values: "As `SMTP_OAUTH`; the user stands in `IMAP_URL`.",
  }),
  INBOUND_AUTHSERV_ID: optional(types.token(), "the first `Received-SPF`", {
    means: "name of your mail server in `Authentication-Results`",
    values: "One word. [Who wrote an answer](answers.md#who-wrote-it) is judged by these lines alone.",
    example: "mx.example.org",
  }),
};

const intake = {
  NEWSLETTER_OPT_IN: valued(types.oneOf("double", "single"), "double", {
    means: "how subscribers become active",
    values: "`double`: they confirm by mail; `single`: at once.",
  }),
  PACKAGE_CATALOGUE: optional(catalogue, "any identifier", {
    means: "file of the packages that inquiries may name",
    values:
      'A JSON array `[{ "id": "de-AT", "title": "German (Austria)" }]` of at most 4 MiB. Identifiers are unique and have 1 to 100 characters, titles 1 to 200. `hours`, `speakers` (numbers) and `licence` (up to 200 characters) are optional, for the front page. Unset, pages and mails have the titles of a sample; with `SITE=off` none.',
  }),
  OPENINGS: optional(openings, "any position", {
    means: "file of the openings that one may apply for",
    values:
      'A JSON array `[{ "id": "annotator", "title": "Accent annotator", "team": "Data", "location": "Lisbon", "closes": "2026-12-31" }]` of at most 4 MiB; the last three are optional. [What they do](forms.md#openings).',
  }),
  ALTCHA_HMAC_KEY: secret(types.signingKey, "no proof of work", {
    means: "key of the proof of work that every submission then needs",
    values: "At least 32 characters, drawn at random (`openssl rand -hex 32`). The same in all processes.",
  }),
  ALTCHA_COST: valued(types.wholeNumber(100, 50_000), "5000", {
    means: "how much work that is",
    values: "100 to 50,000 PBKDF2 iterations a guess. 5,000 take a browser about a second.",
  }),
  PRIVACY_URL: optional(types.httpUrl, "no privacy line", {
    means: "address of the privacy notice that the site's forms link to",
    values: "[How they do](forms.md#a-privacy-notice).",
  }),
  PRIVACY_VERSION: valued(types.noticeVersion, "1", {
    means: "version of that notice",
    values: "One word of at most 100 characters, kept with the submissions.",
  }),
  DISPOSABLE_DOMAINS: listed(disposableDomains, "none", {
    means: "file of more hosts of throw-away addresses",
    values:
      "One a line, at most 4 MiB; `#` begins a comment. [Their addresses are marked](abuse.md#throw-away-addresses).",
  }),
};

const retention = (means: string, values: string) => optional(types.wholeNumber(1, 36_500), "kept", { means, values });

const access = {
  RETENTION_DAYS_INQUIRIES: retention(
    "days after which inquiries are erased",
    "1 to 36,500, counted from their receipt; [how](operations.md#persons-what-is-kept-told-and-erased).",
  ),
  RETENTION_DAYS_APPLICATIONS: retention(
    "days after which applications and their resumes are erased",
    "As `RETENTION_DAYS_INQUIRIES`.",
  ),
  RETENTION_DAYS_DECLINED: retention(
    "days after which declined and withdrawn applications are erased",
    "1 to 36,500, counted from the decision.",
  ),
  RETENTION_DAYS_SPAM: retention("days after which spam is erased", "As `RETENTION_DAYS_INQUIRIES`."),
  WEBHOOK_TARGETS: valued(types.oneOf("public", "loopback"), "public", {
    means: "where webhooks may be sent",
    values:
      "`public`: [hosts of the internet](webhooks.md#where-it-may-be-sent), over https. `loopback`: also this machine, over http too; for tests.",
  }),
  DIGEST_EMAIL: listed(types.addressList, "no digest", {
    means: "who gets a mail each day of what waits",
    values: "Up to 50 addresses.",
  }),
  DIGEST_AT: valued(types.timeOfDay, "07:00", {
    means: "when that mail is sent, in UTC",
    values: "`00:00` to `23:59`, or when the service starts that day.",
  }),
  REPLY_COPIES: valued(types.oneOf("on", "off"), "off", {
    means: "whether the team gets a copy of each reply from the console",
    values: "`on`: to its address. `off`.",
  }),
  OIDC_ISSUER: optional(types.issuer, "passwords only", {
    means: "OpenID Connect provider that operators may sign in with",
    values:
      "As the provider writes it (`issuer` in its `.well-known/openid-configuration`; a slash at the end counts), https, or http on this machine. Needs the next two. [What the provider must know and send](console.md#openid-connect).",
  }),
  OIDC_CLIENT_ID: optional(types.token(), "none", {
    means: "name of this service at that provider",
    values: "One word.",
  }),
  OIDC_CLIENT_SECRET: secret(types.token(), "none", {
    means: "secret of this service at that provider",
    values: "One word.",
  }),
  CONSOLE_PASSWORDS: valued(types.oneOf("on", "off"), "on", {
    means: "whether operators may sign in to the console with passwords",
    values: "`on`, `off`. `off` needs OpenID Connect.",
  }),
  CONSOLE_TOTP: valued(types.oneOf("offered", "required"), "offered", {
    means: "whether a second factor is only offered to operators, or required of administrators",
    values: "`offered`, `required`.",
  }),
};

const observation = {
  LOG_LEVEL: valued(types.oneOf(...logLevels), "info", {
    means: "least important lines that are logged",
    values: `${logLevels.map((level) => `\`${level}\``).join(", ")}.`,
  }),
  METRICS_TOKEN: secret(types.token(16), "`/metrics` is open", {
    means: "Bearer token that `/metrics` asks for",
    values: "One word of at least 16 characters, drawn at random.",
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(types.httpUrl, "nothing is traced", {
    means: "OpenTelemetry collector that traces are sent to",
    values:
      "Its base address for OTLP over HTTP; `/v1/traces` is added. Needs [packages](operations.md#following-one-submission).",
  }),
  OTEL_EXPORTER_OTLP_HEADERS: secret(types.headerList, "none", {
    means: "headers for the collector",
    values: "`name=value`.",
  }),
  OTEL_SERVICE_NAME: valued(types.token(), "submissions", {
    means: "name of this service in traces",
    values: "One word.",
  }),
  OTEL_TRACES_SAMPLER_ARG: valued(types.share, "1", {
    means: "share of requests that is traced",
    values: "0 to 1. A caller's `traceparent` decides first.",
  }),
};

export const sections = {
  Network: network,
  "Database and files": storage,
  Mail: mail,
  Answers: answers,
  "What is accepted": intake,
  Operators: access,
  "Log, metrics and traces": observation,
};

export const settings = { ...network, ...storage, ...mail, ...answers, ...intake, ...access, ...observation };

export type SettingName = keyof typeof settings;

export type Values = {
  readonly [Name in SettingName]: (typeof settings)[Name] extends Setting<infer T> ? T : never;
};
