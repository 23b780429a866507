// Words, times and numbers as operators read them.
import {
  kindOfReference,
  kinds,
  submissionKinds,
  type KindPlural,
  type SubmissionKind,
} from "@submissions/shared/kinds";
import { languageNameOf } from "@submissions/shared/language-name";

/** A name of the service as a word: `throw-away` → `Throw away`. A kind of submissions has its label. */
export function word(name: string): string {
  if (name === "in-doubt") return "Maybe sent";
  const kind = submissionKinds.find((one) => one === name);
  if (kind !== undefined) return kinds[kind].words.en.label;
  const words = name.replaceAll(/[-_.]/g, " ");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** Several submissions of a kind, within a sentence: `inquiries`. */
export const severalOf = (kind: SubmissionKind): string => kinds[kind].words.en.plural.toLowerCase();

/** A name in code as words: `notFound` → `not found`. */
export const spaced = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** The language of a form as it is shown. English is the default and is not shown. */
export const languageName = (tag: string): string => languageNameOf(tag) ?? tag;

/** By the last word of a mail's kind: `notice` of `inquiry-notice`. Others are shown as they are. */
const mailWords: Readonly<Record<string, string>> = {
  notice: "Notice to the team",
  welcome: "Welcome mail",
  assignment: "Assigned to an operator",
  invitation: "Invitation of an operator",
  answer: "Notice of an answer",
  digest: "Daily digest",
};
export function mailWord(kind: string): string {
  const end = kind.replace(/^.*-/, "");
  return mailWords[end] ?? word(end);
}

/** `ben@example.org` → `ben`, for narrow places. */
export const shortName = (email: string): string => email.split("@")[0] ?? email;

/** Initials of a name or an address, at most two. */
export const initials = (name: string): string =>
  shortName(name)
    .split(/[\s._-]+/)
    .filter((part) => part !== "")
    .slice(0, 2)
    .map((part) => String.fromCodePoint(part.codePointAt(0) ?? 0x20).toUpperCase())
    .join("") || "?";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A length of time in one unit: `4 h`. */
export function duration(ms: number): string {
  if (ms < minuteMs) return "1 min";
  // Never 60 min or 24 h.
  if (ms < 59.5 * minuteMs) return `${Math.round(ms / minuteMs)} min`;
  if (ms < 23.5 * hourMs) return `${Math.round(ms / hourMs)} h`;
  return `${Math.round(ms / dayMs)} d`;
}

const thisYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const utcDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const utcYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const otherYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const dayTime = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const number = new Intl.NumberFormat("en");

/** How long ago, briefly: `now`, `5 min`, `3 d`, `4 Oct`. */
export function age(at: number, now: number): string {
  const ms = now - at;
  if (ms < minuteMs) return "now";
  if (ms < 14 * dayMs) return duration(Math.floor(ms / minuteMs) * minuteMs);
  const date = new Date(at);
  return (date.getFullYear() === new Date(now).getFullYear() ? thisYear : otherYear).format(date);
}

/** `30 Nov, 08:00`. */
export const dayAndTime = (at: number): string => dayTime.format(at);
export const exactTime = (at: number): string => exact.format(at);
/** A day in UTC, in whatever zone it is read: `2026-11-21` → `21 Nov`. */
export const dayWord = (day: string): string => utcDay.format(new Date(`${day}T00:00:00Z`));
/** `1 May 2026`, in UTC. */
export const dayOf = (at: number): string => utcYear.format(at);
export const count = (value: number): string => number.format(value);
/** Counts above 1,000 are not exact. */
export const cappedCount = (value: number): string => (value > 1000 ? "1,000+" : count(value));
/** Nothing where counting takes too long. */
export const shownCount = (counted: number | null | undefined): string =>
  counted === undefined ? "\u2007" : counted === null ? "" : cappedCount(counted);
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** Where a submission's page is, without the console's own path. That of an unknown kind is looked for in the inbox. */
export function submissionPath(reference: string): `/${KindPlural}/$reference` | "/" {
  const kind = kindOfReference(reference);
  return kind === undefined ? "/" : `/${kinds[kind].plural}/$reference`;
}
