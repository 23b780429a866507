// Tells a person what the configuration is or what is wrong with it, without ever printing a secret. Knows no stream:
// who prints it, and where, is the caller's business.
import { publicUrl, type Config, type ConfigProblem } from "./config.ts";

/** How a process ends over its configuration: `EX_CONFIG` of sysexits.h. */
export const configExitCode = 78;

/** All problems as lines for a terminal, with a closing line break. */
export function reportProblems(problems: readonly ConfigProblem[]): string {
  const title =
    problems.length === 1 ? "The configuration has a mistake:" : `The configuration has ${problems.length} mistakes:`;
  return [title, ...problems.map(({ name, message }) => `  ${name}: ${message}`), ""].join("\n");
}

const masked = "(set, not shown)";

/** What is in force, by variable name, with secrets masked. Secrets are named one by one below, never copied whole. */
export function describeConfig(config: Config): [name: string, value: string][] {
  const { mail, addresses } = config;
  const from =
    addresses.from.name === null ? addresses.from.address : `${addresses.from.name} <${addresses.from.address}>`;
  return [
    ["SERVICE_MODE", config.mode],
    ["HOST", config.listen.host],
    ["PORT", String(config.listen.port)],
    ["PUBLIC_URL", config.publicUrl ?? (config.listen.port === 0 ? "(derived)" : `${publicUrl(config)} (derived)`)],
    ["DATA_DIR", config.dataFolder],
    ...describeStorage(config),
    ...describeVault(config),
    ["CLAMD_ADDRESS", describeScanner(config)],
    ["MAIL_TRANSPORT", mail.kind],
    ...describeMail(config),
    ["MAIL_FROM", from],
    ["SALES_EMAIL", addresses.sales.join(", ")],
    ["RECRUITING_EMAIL", addresses.recruiting.join(", ")],
    ["MAIL_DEADLINE_MS", String(config.mailDeadlineMs)],
    ["POSTMARK_WEBHOOK_AUTH", config.postmarkWebhook === null ? "(unset)" : masked],
    ["NEWSLETTER_OPT_IN", config.newsletterOptIn],
    ["PACKAGE_CATALOGUE", config.packageTitles === null ? "(any identifier)" : `${config.packageTitles.size} packages`],
    ["ALTCHA_HMAC_KEY", config.proofOfWork === null ? "(unset)" : masked],
    ["ALTCHA_COST", config.proofOfWork === null ? "(no proof of work)" : String(config.proofOfWork.cost)],
    [
      "DISPOSABLE_DOMAINS",
      config.disposableDomains.length === 0 ? "(none)" : `${config.disposableDomains.length} domains`,
    ],
    ["CORS_ORIGINS", config.corsOrigins.join(", ") || "(none)"],
    ["TRUST_PROXY", describeProxy(config.trustedProxy)],
    ["RATE_LIMIT_MAX", String(config.rateLimit.max)],
    ["RATE_LIMIT_WINDOW_SECONDS", String(config.rateLimit.windowSeconds)],
    ["LOG_LEVEL", config.log.level],
  ];
}

function describeVault({ vault }: Config): [name: string, value: string][] {
  if (vault.kind === "disk") return [["RESUME_STORE", `(${vault.folder})`]];
  return [
    ["RESUME_STORE", `s3://${vault.bucket}/${vault.prefix}`.replace(/\/$/, "")],
    ["S3_ENDPOINT", vault.endpoint ?? "(Amazon's)"],
    ["S3_REGION", vault.region ?? "(as the SDK finds it)"],
    ["RESUME_DOWNLOAD", vault.links ? "presigned" : "proxied"],
  ];
}

function describeStorage({ storage }: Config): [name: string, value: string][] {
  if (storage.kind === "sqlite") return [["DATABASE_URL", `(${storage.file})`]];
  return [
    ["DATABASE_URL", masked],
    ["DATABASE_REPLICA_URL", storage.replicaUrl === null ? "(none)" : masked],
    ["DATABASE_POOL_MAX", String(storage.poolMax)],
  ];
}

function describeScanner({ scanner }: Config): string {
  if (scanner === null) return "(none)";
  return "path" in scanner ? scanner.path : `${scanner.host}:${scanner.port}`;
}

function describeProxy(proxy: Config["trustedProxy"]): string {
  if (proxy.kind === "none") return "(none)";
  return proxy.kind === "hops" ? String(proxy.count) : proxy.list.join(", ");
}

function describeMail({ mail }: Config): [name: string, value: string][] {
  if (mail.kind === "mailbox") return [];
  if (mail.kind === "smtp") return [["SMTP_URL", masked]];
  return [
    ["POSTMARK_SERVER_TOKEN", masked],
    ["POSTMARK_API_URL", mail.apiUrl ?? "(Postmark's)"],
  ];
}
