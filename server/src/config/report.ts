// Tells a person what the configuration is or what is wrong with it, without ever printing a secret. The one place
// that ends a process over its configuration.
import { loadConfig, publicUrl, type Config, type ConfigProblem } from "./config.ts";
import { readEnvironment } from "./env.ts";

/** How processes of this project end. 78 is `EX_CONFIG` of sysexits.h. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, configuration: 78 } as const;

/** All problems as lines for a terminal, with a closing line break. */
export function formatProblems(problems: readonly ConfigProblem[]): string {
  const title =
    problems.length === 1 ? "The configuration has a mistake:" : `The configuration has ${problems.length} mistakes:`;
  return [title, ...problems.map(({ name, message }) => `  ${name}: ${message}`), ""].join("\n");
}

/** The configuration of this process, or the end of it: prints every mistake to stderr and exits with 78. */
export function loadConfigOrExit(): Config {
  const result = loadConfig(readEnvironment());
  if (result.ok) return result.config;
  process.stderr.write(formatProblems(result.problems));
  process.exit(exitCodes.configuration);
}

const masked = "(set, not shown)";

/** What is in force, by variable name, with secrets masked. Secrets are named one by one below, never copied whole. */
export function describeConfig(config: Config): [name: string, value: string][] {
  const { mail, addresses } = config;
  const from =
    addresses.from.name === null ? addresses.from.address : `${addresses.from.name} <${addresses.from.address}>`;
  return [
    ["HOST", config.listen.host],
    ["PORT", String(config.listen.port)],
    ["PUBLIC_URL", config.publicUrl ?? (config.listen.port === 0 ? "(derived)" : `${publicUrl(config)} (derived)`)],
    ["DATA_DIR", config.dataFolder],
    ["MAIL_TRANSPORT", mail.kind],
    ...describeMail(config),
    ["MAIL_FROM", from],
    ["SALES_EMAIL", addresses.sales.join(", ")],
    ["RECRUITING_EMAIL", addresses.recruiting.join(", ")],
    ["MAIL_DEADLINE_MS", String(config.mailDeadlineMs)],
    ["POSTMARK_WEBHOOK_AUTH", config.postmarkWebhook === null ? "(unset)" : masked],
    ["NEWSLETTER_OPT_IN", config.newsletterOptIn],
    ["PACKAGE_CATALOGUE", config.packageTitles === null ? "(any identifier)" : `${config.packageTitles.size} packages`],
    ["CORS_ORIGINS", config.corsOrigins.join(", ") || "(none)"],
    ["TRUST_PROXY", describeProxy(config.trustedProxy)],
    ["RATE_LIMIT_MAX", String(config.rateLimit.max)],
    ["RATE_LIMIT_WINDOW_SECONDS", String(config.rateLimit.windowSeconds)],
    ["LOG_LEVEL", config.log.level],
  ];
}

function describeProxy(proxy: Config["trustedProxy"]): string {
  switch (proxy.kind) {
    case "none":
      return "(none)";
    case "hops":
      return String(proxy.count);
    case "cidrs":
      return proxy.list.join(", ");
  }
}

function describeMail({ mail }: Config): [name: string, value: string][] {
  switch (mail.kind) {
    case "mailbox":
      return [];
    case "postmark":
      return [
        ["POSTMARK_SERVER_TOKEN", masked],
        ["POSTMARK_API_URL", mail.apiUrl ?? "(Postmark's)"],
      ];
    case "smtp":
      return [["SMTP_URL", masked]];
  }
}
