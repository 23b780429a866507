// Loads the configuration: reads the environment, checks every setting at once and says what is wrong, without showing a
// value. The only reader of process.env.
import { distance } from "fastest-levenshtein";
import { serverKinds } from "../kinds.ts";
import { isBelow } from "../mail/inbound-address.ts";
import { transports } from "../mail/transports.ts";
import { type ConfigProblem, SettingUnusable } from "../optional-packages.ts";
import { type Config, configFrom } from "./config.ts";
import { builtInLanguages } from "./languages.ts";
import { settings, type Setting, type SettingName, type Values } from "./settings.ts";

/** How a process ends because of its configuration: `EX_CONFIG` of sysexits.h. */
export const configExitCode = 78;

/** Raw settings by variable name. A blank value counts as unset, because that is how Compose files leave one out. */
export type Environment = Readonly<Record<string, string | undefined>>;

export const readEnvironment = (): Environment => ({ ...process.env });

const table = Object.entries(settings) as readonly (readonly [SettingName, Setting])[];

function rawOf(environment: Environment, name: SettingName): string | undefined {
  const text = environment[name]?.trim();
  return text === "" ? undefined : text;
}

/**
 * Checks all settings. Unknown variables are ignored: the environment is shared with everything else on the machine.
 * @throws SettingUnusable that tells of all mistakes
 */
export function loadConfig(environment: Environment): Config {
  const problems: ConfigProblem[] = [];
  const values: { [Name in SettingName]?: unknown } = {};
  for (const [name, setting] of table) {
    const raw = rawOf(environment, name);
    const read = raw === undefined ? null : setting.type.safeParse(raw);
    if (read?.success === false) problems.push({ name, message: read.error.issues[0]?.message ?? "cannot be used." });
    else values[name] = read === null ? defaultOf(setting) : read.data;
  }
  // What a setting demands of another one is judged by values that are right in themselves.
  problems.push(...problemsBetween(values as Partial<Values>, (name) => rawOf(environment, name) !== undefined));
  if (problems.length > 0) throw new SettingUnusable(...problems);
  return configFrom(values as Values);
}

function defaultOf({ type, default: text }: Setting): unknown {
  if (text === null) return null;
  return text === "" ? [] : type.parse(text);
}

function* problemsBetween(values: Partial<Values>, isSet: (name: SettingName) => boolean) {
  const { SERVICE_MODE: mode, RESUME_DOWNLOAD: download, MAIL_TRANSPORT: transport } = values;
  // SQLite can be used by one process only, so that one has to do everything.
  if (mode !== undefined && mode !== "all" && !isSet("DATABASE_URL")) {
    yield { name: "SERVICE_MODE", message: "must be all, or unset, without DATABASE_URL." };
  }
  // A folder has no links to give.
  if (download === "presigned" && !isSet("RESUME_STORE")) {
    yield { name: "RESUME_DOWNLOAD", message: "must be proxied, or unset, without RESUME_STORE." };
  }
  const provider = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"] as const;
  if (provider.some(isSet)) {
    const absent = provider.filter((name) => !isSet(name));
    for (const name of absent) yield { name, message: "is required for signing in with OpenID Connect." };
  }
  if (values.CONSOLE_PASSWORDS === "off" && !isSet("OIDC_ISSUER")) {
    yield { name: "CONSOLE_PASSWORDS", message: "must be on, or unset, without OIDC_ISSUER." };
  }
  for (const [oauth, url] of [
    ["SMTP_OAUTH", "SMTP_URL"],
    ["IMAP_OAUTH", "IMAP_URL"],
  ] as const) {
    if (isSet(oauth) && !isSet(url)) yield { name: oauth, message: `needs ${url}.` };
  }
  if (values.IMAP_URL?.password === "" && !isSet("IMAP_OAUTH"))
    yield { name: "IMAP_URL", message: "needs a password, or IMAP_OAUTH." };
  yield* problemsOfInbound(values, isSet);
  const languages = new Set([...builtInLanguages.keys(), ...(values.LANGUAGES?.keys() ?? [])]);
  const unknown = [...(values.MAIL_TEMPLATES?.keys() ?? [])].filter(
    (name) => !languages.has(name.replace(/^.*?\./, "")),
  );
  if (unknown.length > 0) {
    const files = unknown.map((name) => `${name}.txt`).join(", ");
    yield {
      name: "MAIL_TEMPLATES",
      message: `${files} is no mail and language: LANGUAGES has no file of that language.`,
    };
  }
  const credentials = transport === undefined ? null : transports[transport].credentials;
  if (credentials === null) return;
  // The defaults are placeholders. Only mails that are not sent may be addressed by them.
  for (const name of new Set([credentials, "MAIL_FROM", ...teams] as const)) {
    if (!isSet(name)) yield { name, message: `is required with MAIL_TRANSPORT=${transport}.` };
  }
}

/** The settings with the addresses of teams. */
const teams = Object.values(serverKinds).map(({ settings: { team } }) => team);

/** The settings that bring answers in. */
const waysIn = ["INBOUND_WEBHOOK_AUTH", "IMAP_URL"] as const;

function* problemsOfInbound(values: Partial<Values>, isSet: (name: SettingName) => boolean) {
  const name = "INBOUND_ADDRESS";
  if (!isSet(name)) {
    for (const way of waysIn.filter(isSet)) yield { name: way, message: `needs ${name}.` };
    return;
  }
  if (!waysIn.some(isSet)) yield { name, message: `needs ${waysIn.join(" or ")}.` };
  const { INBOUND_ADDRESS: inbound, MAIL_FROM: from } = values;
  if (!inbound) return;
  // A mail to itself would come in again, for ever.
  const used = { ...values, MAIL_FROM: from && [from.address] };
  for (const other of ["MAIL_FROM", ...teams, "DIGEST_EMAIL"] as const) {
    if (used[other]?.some((address) => isBelow(inbound, address)))
      yield { name, message: `must not be the address in ${other}.` };
  }
}

/** What is in force, by variable name, with secrets masked. The environment must be without mistakes. */
export function describeSettings(environment: Environment): readonly (readonly [name: string, value: string])[] {
  return table.map(([name, setting]) => {
    const raw = rawOf(environment, name) ?? setting.default;
    if (raw === null || raw === "") return [name, `(${setting.unset.replaceAll("`", "")})`];
    if (setting.secret === true) return [name, "(set, not shown)"];
    const value = setting.type.parse(raw);
    return [name, typeof value === "string" ? value : raw];
  });
}

export function reportProblems({ problems }: SettingUnusable): string {
  const { length } = problems;
  const title = length === 1 ? "The configuration has a mistake:" : `The configuration has ${length} mistakes:`;
  return [title, ...problems.map(({ name, message }) => `  ${name}: ${message}`), ""].join("\n");
}

export function reportMisspellings(environment: Environment): string {
  const lines = Object.keys(environment).flatMap((name) => {
    const meant = meantBy(name);
    return meant === null ? [] : [`Warning: ${name} is no setting of this service. Do you mean ${meant}?\n`];
  });
  return lines.join("");
}

/** Typing errors in names as long as ours. In shorter ones two letters make another word. */
const typingErrorsMax = 2;
const comparedLengthMin = 7;
/** In a long one it may be a singular: `RETENTION_DAYS_INQUIRY`. */
const longLengthMin = 16;
/** What other programs call theirs: gettext reads LANGUAGE, and many systems set it. */
const ofOthers = new Set(["LANGUAGE"]);

/** The setting that a variable looks like; null for settings and for names that are none of ours. */
function meantBy(name: string): SettingName | null {
  if (name in settings || ofOthers.has(name)) return null;
  const spelt = name.toUpperCase();
  const words = spelt.split("_");
  let nearest: SettingName | null = null;
  let errorsMax = spelt.length < longLengthMin ? typingErrorsMax : typingErrorsMax + 1;
  for (const [setting] of table) {
    const ownWords = setting.split("_");
    if (spelt === setting || (words[0] === ownWords[0] && isShortened(words, ownWords))) return setting;
    if (Math.min(spelt.length, setting.length) < comparedLengthMin) continue;
    const errors = distance(spelt, setting);
    if (errors <= errorsMax) [nearest, errorsMax] = [setting, errors - 1];
  }
  return nearest;
}

/** Whether one name is the other with words left out, as in `POSTMARK_TOKEN`. One word alone says nothing. */
function isShortened(one: readonly string[], other: readonly string[]): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (short.length < 2) return false;
  let found = 0;
  for (const word of long) if (word === short[found]) found += 1;
  return found === short.length;
}
