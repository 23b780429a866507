// The frame of every mail: one column that reads on a phone, light and dark, no image and nothing fetched from anywhere.
import type { Language } from "@submissions/shared/language";
import { html, Markup, writeFill, type Fill } from "@submissions/shared/html";

export interface Written {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** How mails to persons show who sends them. */
export interface Look {
  readonly brand: string;
  /** Address of an image that stands in place of the name; null: the name does. */
  readonly logo: string | null;
  /** The lines at the end; empty: the name stands there. */
  readonly signature: readonly string[];
}

interface Page {
  readonly language: Language;
  readonly subject: Fill;
  /** What a list of mails shows after the subject. */
  readonly preheader: Fill;
  readonly brand: Fill;
  readonly heading: Fill;
  readonly body: Markup;
  readonly signature?: Fill;
  /** Why the reader gets this mail, in small print. */
  readonly footer: Fill;
}

const font = "-apple-system,BlinkMacSystemFont,Segoe UI,Roboto,Helvetica Neue,Arial,sans-serif";

// Mail programs that do not read <style> show the inline light colours. The others take the dark ones from here, by
// classes that exist only for that.
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

/** The HTML part of a mail. */
export const layout = (page: Page): Markup =>
  html`<!doctype html>
    <html lang="${page.language}" dir="ltr">
      <head>
        ${head}
        <title>${page.subject}</title>
      </head>
      <body class="page" style="margin:0;padding:0;background:#f3f4f6;-webkit-text-size-adjust:100%">
        <div style="display:none;max-height:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px">
          ${page.preheader}
        </div>
        <table
          role="presentation"
          class="page"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          border="0"
          style="background:#f3f4f6"
        >
          <tr>
            <td align="center" style="padding:24px 12px">
              <table
                role="presentation"
                width="100%"
                cellpadding="0"
                cellspacing="0"
                border="0"
                style="max-width:600px;font-family:${font};font-size:16px;line-height:1.55;text-align:left"
              >
                <tr>
                  <td class="soft" style="padding:0 4px 12px;font-size:14px;font-weight:600;color:#4b5563">
                    ${page.brand}
                  </td>
                </tr>
                <tr>
                  <td
                    class="card ink"
                    style="background:#ffffff;border:1px solid #d9dde3;border-radius:12px;padding:32px;color:#1c2430"
                  >
                    <h1 style="margin:0 0 16px;font-size:22px;line-height:1.3;font-weight:650;color:#111827">
                      ${page.heading}
                    </h1>
                    ${page.body}${page.signature}
                  </td>
                </tr>
                <tr>
                  <td class="soft" style="padding:16px 4px 0;font-size:13px;line-height:1.5;color:#4b5563">
                    ${page.footer}
                  </td>
                </tr>
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html> `;

export const masthead = ({ brand, logo }: Look): Fill =>
  logo === null
    ? brand
    : html`<img src="${logo}" alt="${brand}" height="40" style="display:block;border:0;height:40px" />`;

export const signatureLines = ({ brand, signature }: Look): readonly string[] =>
  signature.length === 0 ? [brand] : signature;

/** Below the body; nothing where the name, which stands above the body, is the signature. */
export const signatureMarkup = ({ signature }: Look): Fill =>
  signature.length > 0 &&
  html`<p style="margin:16px 0 0">${signature.map((line, at) => html`${at > 0 && html`<br />`}${line}`)}</p>`;

/** The text part of a mail: blocks of lines with a blank line between them. Null leaves a block out. */
export function textOf(...blocks: readonly (string | readonly string[] | null)[]): string {
  const lines: string[] = [];
  for (const block of blocks) {
    if (block === null) continue;
    if (lines.length > 0) lines.push("");
    if (typeof block === "string") lines.push(block);
    else lines.push(...block);
  }
  lines.push("");
  return lines.join("\n");
}

/** Lines one below the other. Breaks are elements: some desktop programs ignore `white-space`. */
export const inLines = (lines: readonly string[]): Fill[] =>
  lines.map((line, index) => (index === 0 ? line : html`<br />${line}`));

export const paragraph = (content: Fill): Markup => html`<p style="margin:0 0 16px">${content}</p>`;

export const bulletList = (items: readonly Markup[]): Markup =>
  html`<ul style="margin:0 0 16px;padding-left:22px">
    ${items.map((item) => html`<li style="margin:0 0 4px">${item}</li>`)}
  </ul>`;

/** A link in running text. The address is ours, never a stranger's. */
export const link = (url: Fill, words: Fill): Markup =>
  html`<a class="link" href="${url}" style="color:#1d4ed8">${words}</a>`;

/**
 * A button, and the same address to be copied where buttons do not work. The address is ours, never a stranger's.
 *
 * @param or stands before the address
 */
export const button = (url: Fill, words: string, or: string): Markup =>
  html` <table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 16px">
      <tr>
        <td class="button" align="center" style="border-radius:8px;background:#1d4ed8">
          <a
            href="${url}"
            style="display:inline-block;padding:13px 24px;border:1px solid #1d4ed8;border-radius:8px;font-size:16px;font-weight:600;line-height:1.25;color:#ffffff;text-decoration:none"
            >${words}</a
          >
        </td>
      </tr>
    </table>
    <p class="soft" style="margin:0 0 16px;font-size:13px;line-height:1.5;color:#4b5563">
      ${or}
      <a class="link" href="${url}" style="color:#1d4ed8;word-break:break-all">${url}</a>
    </p>`;

/** A reference, set apart so that it is found again. */
export const referencePanel = (label: string, reference: Fill): Markup =>
  html` <div
    class="panel"
    style="margin:0 0 16px;padding:12px 16px;background:#f3f4f6;border:1px solid #d9dde3;border-radius:8px"
  >
    <div class="soft" style="font-size:13px;color:#4b5563">${label}</div>
    <div class="ink" style="font-size:18px;font-weight:600;letter-spacing:0.02em">${reference}</div>
  </div>`;

// A template is written once. What does not change is kept as finished strings, and a mail costs the joining of a few of
// them: at thousands of mails a second, writing them took a tenth of the service's time.

/** Stands before and after the name of a slot. */
const cut = "\0";

/**
 * Makes a template with slots into a function of its fills, which are escaped as in {@link html}.
 *
 * @param write called once, here; puts each slot into its place
 */
export function frame<Slot extends string>(
  write: (slot: (name: Slot) => Markup) => Markup,
): (fills: Readonly<Record<Slot, Fill>>) => Markup {
  // What is fixed, and after each piece of it the name of a slot.
  const pieces = write((name) => new Markup(`${cut}${name}${cut}`)).text.split(cut);
  const fixed = pieces.filter((_, index) => index % 2 === 0).map(cheapInJson);
  const slots = pieces.filter((_, index) => index % 2 === 1) as Slot[];
  return (fills) => {
    let text = fixed[0]!;
    for (let index = 0; index < slots.length; index += 1) {
      text += writeFill(fills[slots[index]!]) + fixed[index + 1]!;
    }
    return new Markup(text);
  };
}

// Mails travel in JSON, which escapes double quotes and line breaks one by one: without them it is written eight times
// as fast.
function cheapInJson(markup: string): string {
  if (markup.includes("'")) throw new Error("A template of a mail holds a single quote.");
  return markup.replaceAll('"', "'").replaceAll("\n", " ");
}
