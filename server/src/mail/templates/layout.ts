// The frame of every mail: one column that reads on a phone, light and dark, no image and nothing fetched from anywhere.
import { html, Markup, writeFill, type Fill } from "@submissions/shared/html";
import { directionOf, type Language } from "@submissions/shared/language";
import type { PackageTitles } from "../../config/catalogue.ts";
import type { Languages } from "../../config/languages.ts";
import type { MailWords } from "../../config/mail-words.ts";
import type { StoredSubmission, SubmissionKind } from "../../storage/records.ts";
import type { IsDisposable } from "../disposable.ts";
import type { MailContent } from "../mailer.ts";
import { frame } from "./template.ts";

export type Written = Pick<MailContent, "subject" | "text" | "html">;

export interface MailSettings {
  readonly brand: string;
  /** Address of an image that stands in place of the name; null: the name does. */
  readonly logo: string | null;
  /** The lines at the end; empty: the name stands there. */
  readonly signature: readonly string[];
  readonly words: MailWords;
  readonly languages: Languages;
  /** The base address of links, without a final slash; from the configuration and never from a request. */
  readonly publicUrl: () => string;
  /** Who gets the notices of each kind. */
  readonly teams: Readonly<Record<SubmissionKind, readonly string[]>>;
  /** Of the catalogue, or of the sample that the front page shows without one. */
  readonly packageTitles: PackageTitles;
  readonly isDisposable: IsDisposable;
  /** Where the person of a submission answers to; null: to the team. */
  readonly answerTo: ((submission: StoredSubmission) => string) | null;
  readonly receiptId: (submission: StoredSubmission) => string;
  /** Who gets the daily digest; empty: no digest is sent. */
  readonly digestTo: readonly string[];
}

const font = "-apple-system,BlinkMacSystemFont,Segoe UI,Roboto,Helvetica Neue,Arial,sans-serif";

// Mail programs that do not read <style> show the inline light colours. The others take the dark ones from here.
const style = [
  ":root{color-scheme:light dark;supported-color-schemes:light dark}",
  "@media (max-width:480px){.card{padding:24px 20px!important}}",
  "@media (prefers-color-scheme:dark){.page{background:#121417!important}",
  ".card{background:#1c1f24!important;border-color:#343a42!important}",
  ".ink,.page h1{color:#eceef1!important}.soft{color:#adb4bd!important}.link{color:#8ab8ff!important}",
  ".panel{background:#262a31!important;border-color:#3a414a!important}.rule{border-color:#343a42!important}",
  ".button{background:#8ab8ff!important}.button a{color:#0b1830!important;border-color:#8ab8ff!important}}",
].join("");

const head = html`<meta charset="utf-8" />
  <meta name="viewport" content="width=device-width,initial-scale=1" />
  <meta name="color-scheme" content="light dark" />
  <meta name="supported-color-schemes" content="light dark" />
  <meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no" />
  <style>
    ${style}
  </style>`;

/** Of tables that only lay out: no lines, and no table to screen readers. */
const table = html`role="presentation" cellpadding="0" cellspacing="0" border="0"`;

const page = frame<
  "language" | "direction" | "side" | "subject" | "preheader" | "brand" | "heading" | "body" | "signature" | "footer"
>(
  (place) =>
    html`<!doctype html>
      <html lang="${place("language")}" dir="${place("direction")}">
        <head>
          ${head}
          <title>${place("subject")}</title>
        </head>
        <body class="page" style="margin:0;padding:0;background:#f3f4f6;-webkit-text-size-adjust:100%">
          <div style="display:none;max-height:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px">
            ${place("preheader")}
          </div>
          <table ${table} class="page" width="100%" style="background:#f3f4f6">
            <tr>
              <td align="center" style="padding:24px 12px">
                <table
                  ${table}
                  width="100%"
                  style="max-width:600px;font-family:${font};font-size:16px;line-height:1.55;text-align:${place("side")}"
                >
                  <tr>
                    <td class="soft" style="padding:0 4px 12px;font-size:14px;font-weight:600;color:#4b5563">
                      ${place("brand")}
                    </td>
                  </tr>
                  <tr>
                    <td
                      class="card ink"
                      style="background:#ffffff;border:1px solid #d9dde3;border-radius:12px;padding:32px;color:#1c2430;overflow-wrap:anywhere;word-break:break-word"
                    >
                      ${place("heading")}${place("body")}${place("signature")}
                    </td>
                  </tr>
                  <tr>
                    <td class="soft" style="padding:16px 4px 0;font-size:13px;line-height:1.5;color:#4b5563">
                      ${place("footer")}
                    </td>
                  </tr>
                </table>
              </td>
            </tr>
          </table>
        </body>
      </html> `,
);

const headingFrame = frame<"heading">(
  (place) =>
    html`<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3;font-weight:650;color:#111827">
      ${place("heading")}
    </h1> `,
);

/** The HTML part. Lists of mails show the preheader; the footer is in small print; the heading of a letter is null. */
export const layout = (
  fills: Omit<Parameters<typeof page>[0], "direction" | "side"> & { readonly language: Language },
) => {
  const { heading, language } = fills;
  const direction = directionOf(language);
  return page({ ...fills, heading: heading && headingFrame({ heading }), direction, side: sideOf(language) });
};

/** Where lines begin. Some desktop programs do not know `start`. */
export const sideOf = (language: Language) => (directionOf(language) === "rtl" ? "right" : "left");

export const masthead = ({ brand, logo }: MailSettings): Fill =>
  logo === null
    ? brand
    : html`<img src="${logo}" alt="${brand}" height="40" style="display:block;border:0;height:40px" />`;

export const signatureLines = ({ brand, signature }: MailSettings): readonly string[] =>
  signature.length === 0 ? [brand] : signature;

/** Below the body; nothing where the name, which stands above the body, is the signature. */
export const signatureMarkup = ({ signature }: MailSettings): Fill =>
  signature.length > 0 && html`<p style="margin:16px 0 0">${inLines(signature)}</p>`;

/** The text part of a mail, in one piece: blocks of lines with a blank line between them. Null leaves a block out. */
export function textOf(...blocks: readonly (string | readonly string[] | null)[]): string {
  const shown = blocks.filter((block) => block !== null);
  return shown.flatMap((block) => [...(typeof block === "string" ? [block] : block), ""]).join("\n");
}

/** Lines one below the other. Breaks are elements: some desktop programs ignore `white-space`. */
export const inLines = (lines: readonly Fill[]): Markup => new Markup(lines.map(writeFill).join("<br />"));

const paragraphFrame = frame<"content">((place) => html`<p style="margin:0 0 16px">${place("content")}</p>`);
export const paragraph = (content: Fill): Markup => paragraphFrame({ content });

const itemFrame = frame<"item">((place) => html`<li style="margin:0 0 4px">${place("item")}</li>`);
const listFrame = frame<"items">(
  (place) =>
    html`<ul style="margin:0 0 16px;padding-left:22px">
      ${place("items")}
    </ul>`,
);
export const bulletList = (items: readonly Fill[]): Markup =>
  listFrame({ items: items.map((item) => itemFrame({ item })) });

const linkFrame = frame<"url" | "words">(
  (place) => html`<a class="link" href="${place("url")}" style="color:#1d4ed8">${place("words")}</a>`,
);
export const link = (url: Fill, words: Fill): Markup => linkFrame({ url, words });

/** A button, and behind the words `or` the same address to be copied. It is ours, never a stranger's. */
export const button = frame<"url" | "words" | "or">(
  (place) =>
    html` <table ${table} style="margin:8px 0 16px">
        <tr>
          <td class="button" align="center" style="border-radius:8px;background:#1d4ed8">
            <a
              href="${place("url")}"
              style="display:inline-block;padding:13px 24px;border:1px solid #1d4ed8;border-radius:8px;font-size:16px;font-weight:600;line-height:1.25;color:#ffffff;text-decoration:none"
              >${place("words")}</a
            >
          </td>
        </tr>
      </table>
      <p class="soft" style="margin:0 0 16px;font-size:13px;line-height:1.5;color:#4b5563">
        ${place("or")}
        <a class="link" href="${place("url")}" style="color:#1d4ed8;word-break:break-all">${place("url")}</a>
      </p>`,
);

/** A reference, set apart so that it is found again. */
export const referencePanel = frame<"label" | "reference">(
  (place) =>
    html` <div
      class="panel"
      style="margin:0 0 16px;padding:12px 16px;background:#f3f4f6;border:1px solid #d9dde3;border-radius:8px"
    >
      <div class="soft" style="font-size:13px;color:#4b5563">${place("label")}</div>
      <div class="ink" style="font-size:18px;font-weight:600;letter-spacing:0.02em">${place("reference")}</div>
    </div>`,
);
