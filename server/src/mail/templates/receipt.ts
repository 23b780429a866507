// Mails to persons: what stands in the places of their words. A receipt goes to an address that is not proven and holds only
// what may stand in it.
import type { Language } from "@submissions/shared/language";
import type { PackageTitles } from "../../config/catalogue.ts";
import type { MailWords } from "../../config/mail-words.ts";
import { kindAndSize } from "../../field-values.ts";
import type { StoredInquiry, StoredSubmission } from "../../storage/records.ts";
import { greeting } from "../stranger.ts";
import type { Look, Written } from "./layout.ts";
import { writeWords } from "./words.ts";

/** What mails to persons are told of the installation. */
export interface Speaker extends Look {
  readonly words: MailWords;
}

const hello: Readonly<Record<Language, string>> = { en: "Hello", de: "Guten Tag" };

export function writeReceipt(submission: StoredSubmission, packageTitles: PackageTitles, speaker: Speaker): Written {
  const { kind, name, language, reference, email } = submission;
  const places = { hello: greeting(name, hello[language]), reference, email, brand: speaker.brand };
  const own =
    submission.kind === "inquiry"
      ? { packages: packagesOf(submission, packageTitles) }
      : // Kind and size are what we read off the bytes. The name of the file is a stranger's text.
        { resume: submission.resume === null ? "" : kindAndSize(submission.resume, language) };
  return write(`${kind}-receipt`, language, { ...places, ...own }, speaker);
}

/** An identifier is a stranger's text: packages without a title are counted. */
function packagesOf({ language, selectedPackageIds: ids }: StoredInquiry, packageTitles: PackageTitles): string {
  const titles = ids.flatMap((id) => packageTitles.get(id) ?? []);
  const untitled = ids.length - titles.length;
  if (titles.length === 0) return packageCount(untitled, language);
  const more = language === "de" ? `und ${untitled} weitere` : `and ${untitled} more`;
  return [...titles, ...(untitled === 0 ? [] : [more])].map((item) => `  - ${item}`).join("\n");
}

export function packageCount(count: number, language: Language = "en"): string {
  if (language === "de") return count === 1 ? "1 Paket" : `${count} Pakete`;
  return count === 1 ? "1 package" : `${count} packages`;
}

/** @param urls of the pages behind its links; without one to confirm, the subscriber is active already */
export function writeWelcome(
  language: Language,
  urls: { readonly confirmUrl: string | null; readonly unsubscribeUrl: string },
  speaker: Speaker,
): Written {
  const { confirmUrl, unsubscribeUrl } = urls;
  const places = { hello: `${hello[language]},`, confirmUrl: confirmUrl ?? "", unsubscribeUrl, brand: speaker.brand };
  return write(confirmUrl === null ? "newsletter-active" : "newsletter-welcome", language, places, speaker);
}

const write = (kind: string, language: Language, places: Readonly<Record<string, string>>, speaker: Speaker): Written =>
  writeWords(speaker.words.get(`${kind}.${language}`)!, language, places, speaker);
