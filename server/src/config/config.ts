// Turns raw settings into values that cannot be wrong, or names every mistake at once. It reads no process.env, opens
// nothing but the files that settings name, and never puts a value into a message.
import { join } from "node:path";
import type { z } from "zod";
import { logLevels, type LogLevel } from "../observe/log.ts";
import { readCatalogue, type PackageTitles } from "./catalogue.ts";
import { readDisposableDomains } from "./disposable-domains.ts";
import type { Environment } from "./env.ts";
import * as variable from "./variables.ts";

/** Which database. */
type StorageConfig =
  | { readonly kind: "sqlite"; readonly file: string }
  | {
      readonly kind: "postgres";
      readonly url: string;
      /** A copy that the command line reads from; null: there is none. */
      readonly replicaUrl: string | null;
      /** Connections of one process. */
      readonly poolMax: number;
    };

/** Where resumes lie. Uploads under way always lie in a folder of this machine. */
type VaultConfig =
  | { readonly kind: "disk"; readonly folder: string }
  | {
      readonly kind: "s3";
      readonly bucket: string;
      /** Empty, or ending in a slash. */
      readonly prefix: string;
      /** Null: Amazon's. */
      readonly endpoint: string | null;
      /** Null: found by the SDK. */
      readonly region: string | null;
      /** Whether operators may be given links. */
      readonly links: boolean;
      readonly folder: string;
    };

/** How mail leaves. */
type MailConfig =
  | { readonly kind: "mailbox"; readonly folder: string }
  | { readonly kind: "postmark"; readonly token: string; readonly apiUrl?: string }
  | { readonly kind: "smtp"; readonly url: string };

/** What one of several processes does. */
const modes = ["all", "web", "worker"] as const;

/** Everything that can be set, checked. */
export interface Config {
  /** `web` takes submissions, `worker` sends mail that is due and scans resumes, `all` does both. */
  readonly mode: (typeof modes)[number];
  /** Where to listen. Port 0 is any free one. */
  readonly listen: { readonly host: string; readonly port: number };
  /** The base address in links, without a trailing slash; null: derived once the port is known, by {@link publicUrl}. */
  readonly publicUrl: string | null;
  /** Absolute. Made by whoever opens what lies in it. */
  readonly dataFolder: string;
  readonly storage: StorageConfig;
  readonly vault: VaultConfig;
  /** The virus scanner; null: resumes are not scanned. */
  readonly scanner: { readonly host: string; readonly port: number } | { readonly path: string } | null;
  readonly mail: MailConfig;
  /** Sender, and who hears of inquiries and applications; the lists are never empty. */
  readonly addresses: {
    readonly from: variable.NamedAddress;
    readonly sales: readonly string[];
    readonly recruiting: readonly string[];
  };
  /** How long an answer waits for its confirmation mail, in milliseconds. */
  readonly mailDeadlineMs: number;
  /** Credentials of the Postmark webhook; without them the path does not exist. */
  readonly postmarkWebhook: { readonly user: string; readonly password: string } | null;
  readonly newsletterOptIn: "double" | "single";
  /** Packages that may be asked for; null: any identifier. */
  readonly packageTitles: PackageTitles | null;
  /** What submissions have to cost a client; null: nothing. */
  readonly proofOfWork: { readonly hmacKey: string; readonly cost: number } | null;
  /** Hosts of throw-away addresses beside those that are known everywhere, in lower case and ASCII. */
  readonly disposableDomains: readonly string[];
  /** Origins whose pages may call from a browser; empty: none. */
  readonly corsOrigins: readonly string[];
  readonly trustedProxy: variable.TrustedProxy;
  /** Submissions per client address in a window. */
  readonly rateLimit: { readonly max: number; readonly windowSeconds: number };
  readonly log: { readonly level: LogLevel };
}

/** A mistake in the configuration, by the variable that holds it. */
export interface ConfigProblem {
  readonly name: string;
  readonly message: string;
}

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** Collects what is wrong, so that one start tells everything. */
class Reader {
  readonly problems: ConfigProblem[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  raw(name: string): string | undefined {
    const text = this.#environment[name]?.trim();
    return text === "" ? undefined : text;
  }

  wrong(name: string, message: string): void {
    this.problems.push({ name, message });
  }

  /** The value of a variable; `fallback` when it is unset, and also after a mistake was noted. */
  read<T, F>(name: string, schema: z.ZodType<T, string>, fallback: F): T | F {
    const text = this.raw(name);
    if (text === undefined) return fallback;
    const result = schema.safeParse(text);
    if (result.success) return result.data;
    for (const issue of result.error.issues) this.wrong(name, issue.message);
    return fallback;
  }

  /** Like {@link read}, for what the chosen transport cannot do without. */
  need<T>(name: string, schema: z.ZodType<T, string>, placeholder: T, reason: string): T {
    if (this.raw(name) === undefined) this.wrong(name, `is required with ${reason}.`);
    return this.read(name, schema, placeholder);
  }
}

/**
 * Checks all settings. Unknown variables are ignored: the environment is shared with everything else on the machine.
 *
 * @param environment raw settings, from `readEnvironment()`
 */
export function loadConfig(environment: Environment): ConfigResult {
  const reader = new Reader(environment);
  const dataFolder = reader.read("DATA_DIR", variable.path, variable.path.parse("./data"));
  const config: Config = {
    mode: readMode(reader),
    listen: {
      host: reader.read("HOST", variable.host, "127.0.0.1"),
      port: reader.read("PORT", variable.wholeNumber(0, 65_535), 3000),
    },
    publicUrl: reader.read("PUBLIC_URL", variable.httpUrl, null),
    dataFolder,
    storage: readStorage(reader, join(dataFolder, "submissions.sqlite")),
    vault: readVault(reader, join(dataFolder, "resumes")),
    scanner: reader.read("CLAMD_ADDRESS", variable.clamdAddress, null),
    ...readMail(reader, dataFolder),
    // Below the time after which the server cuts an idle connection: whoever waits for the answer must get it.
    mailDeadlineMs: reader.read("MAIL_DEADLINE_MS", variable.wholeNumber(0, 15_000), 2000),
    postmarkWebhook: reader.read("POSTMARK_WEBHOOK_AUTH", variable.userAndPassword, null),
    newsletterOptIn: reader.read("NEWSLETTER_OPT_IN", variable.oneOf(["double", "single"]), "double"),
    packageTitles: readFrom(reader, "PACKAGE_CATALOGUE", readCatalogue, null),
    proofOfWork: readProofOfWork(reader),
    disposableDomains: readFrom(reader, "DISPOSABLE_DOMAINS", readDisposableDomains, []),
    corsOrigins: reader.read("CORS_ORIGINS", variable.originList, []),
    trustedProxy: reader.read("TRUST_PROXY", variable.trustedProxy, { kind: "none" }),
    rateLimit: {
      max: reader.read("RATE_LIMIT_MAX", variable.wholeNumber(1, 1_000_000), 60),
      windowSeconds: reader.read("RATE_LIMIT_WINDOW_SECONDS", variable.wholeNumber(1, 86_400), 60),
    },
    log: { level: reader.read("LOG_LEVEL", variable.oneOf(logLevels), "info") },
  };
  return reader.problems.length === 0 ? { ok: true, config } : { ok: false, problems: reader.problems };
}

function readMode(reader: Reader): Config["mode"] {
  const mode = reader.read("SERVICE_MODE", variable.oneOf(modes), "all");
  // SQLite bears one process, and half a service would be none.
  if (mode !== "all" && reader.raw("DATABASE_URL") === undefined) {
    reader.wrong("SERVICE_MODE", "must be all, or unset, without DATABASE_URL.");
  }
  return mode;
}

function readVault(reader: Reader, folder: string): VaultConfig {
  const store = reader.read("RESUME_STORE", variable.s3Address, null);
  const endpoint = reader.read("S3_ENDPOINT", variable.httpUrl, null);
  // Most stores that are not Amazon's have no regions, and sign with this one.
  const region = reader.read("S3_REGION", variable.token, endpoint === null ? null : "us-east-1");
  const links = reader.read("RESUME_DOWNLOAD", variable.oneOf(["proxied", "presigned"]), "proxied") === "presigned";
  if (store !== null) return { kind: "s3", ...store, endpoint, region, links, folder };
  // A folder has no links to give.
  if (links && reader.raw("RESUME_STORE") === undefined) {
    reader.wrong("RESUME_DOWNLOAD", "must be proxied, or unset, without RESUME_STORE.");
  }
  return { kind: "disk", folder };
}

function readStorage(reader: Reader, file: string): StorageConfig {
  const url = reader.read("DATABASE_URL", variable.postgresUrl, null);
  const replicaUrl = reader.read("DATABASE_REPLICA_URL", variable.postgresUrl, null);
  const poolMax = reader.read("DATABASE_POOL_MAX", variable.wholeNumber(1, 100), 4);
  if (url !== null) return { kind: "postgres", url, replicaUrl, poolMax };
  if (replicaUrl !== null && reader.raw("DATABASE_URL") === undefined) {
    reader.wrong("DATABASE_REPLICA_URL", "is a copy of DATABASE_URL, which is unset.");
  }
  return { kind: "sqlite", file };
}

function readMail(reader: Reader, dataFolder: string): Pick<Config, "mail" | "addresses"> {
  const transport = reader.read("MAIL_TRANSPORT", variable.oneOf(["mailbox", "postmark", "smtp"]), "mailbox");
  const reason = `MAIL_TRANSPORT=${transport}`;
  // The placeholders go nowhere: only a mailbox on disk may be addressed by them.
  const address = <T>(name: string, schema: z.ZodType<T, string>, placeholder: T): T =>
    transport === "mailbox" ? reader.read(name, schema, placeholder) : reader.need(name, schema, placeholder, reason);
  const apiUrl = reader.read("POSTMARK_API_URL", variable.httpUrl, undefined);

  return {
    mail: {
      mailbox: () => ({ kind: "mailbox" as const, folder: join(dataFolder, "mailbox") }),
      postmark: () => ({
        kind: "postmark" as const,
        token: reader.need("POSTMARK_SERVER_TOKEN", variable.token, "", reason),
        ...(apiUrl === undefined ? {} : { apiUrl }),
      }),
      smtp: () => ({
        kind: "smtp" as const,
        url: reader.need("SMTP_URL", variable.smtpUrl, "", reason),
      }),
    }[transport](),
    addresses: {
      from: address("MAIL_FROM", variable.namedAddress, {
        name: "Speech Marketplace",
        address: "no-reply@marketplace.example",
      }),
      sales: address("SALES_EMAIL", variable.addressList, ["sales@marketplace.example"]),
      recruiting: address("RECRUITING_EMAIL", variable.addressList, ["recruiting@marketplace.example"]),
    },
  };
}

// Off without a key, whatever the cost.
function readProofOfWork(reader: Reader): Config["proofOfWork"] {
  const hmacKey = reader.read("ALTCHA_HMAC_KEY", variable.signingKey, null);
  const cost = reader.read("ALTCHA_COST", variable.wholeNumber(100, 50_000), 5000);
  return hmacKey === null ? null : { hmacKey, cost };
}

/** What is in the file that a variable names. */
function readFrom<T, F>(reader: Reader, name: string, readFile: (file: string) => T | variable.Wrong, fallback: F) {
  const file = reader.read(name, variable.path, null);
  if (file === null) return fallback;
  const content = readFile(file);
  if (!(content instanceof variable.Wrong)) return content;
  reader.wrong(name, content.message);
  return fallback;
}

/**
 * The base address in links, without a trailing slash: what was set, or else host and port.
 *
 * @param port the port that is really listened on, which differs from the setting when that is 0
 */
export function publicUrl(config: Pick<Config, "publicUrl" | "listen">, port: number = config.listen.port): string {
  if (config.publicUrl !== null) return config.publicUrl;
  const { host } = config.listen;
  // Listening everywhere has no address of its own; the machine itself at least can follow such a link.
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  return new URL(`http://${name.includes(":") ? `[${name}]` : name}:${port}`).origin;
}
