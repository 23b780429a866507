// The two frames of the pages: the site with its header and footer, and a page of one card.
import { html, type Markup } from "@submissions/shared/html";
import { directionOf, type Language } from "@submissions/shared/language";
import { type Asset, formsStyle, siteAssets } from "./assets.ts";
import { formOrder, formPages, type Site } from "./site.ts";

interface Page {
  readonly language?: Language | undefined;
  readonly title: string;
  /** The way back to the root: `../` as often as needed, because a proxy may put the service below a path. */
  readonly root: string;
  readonly styles: readonly Asset[];
  readonly head: Markup;
  readonly body: Markup;
}

export const layout = ({ language = "en", title, root, styles, head, body }: Page): string =>
  html`<!doctype html>
    <html ${speaking(language)}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="${root}${siteAssets.icon.href}" type="image/svg+xml" />
        ${[siteAssets.base, ...styles].map(({ href }) => html`<link rel="stylesheet" href="${root}${href}" /> `)}${head}
      </head>
      ${body}
    </html> `.text;

const speaking = (language: Language): Markup => {
  const lang = html`lang="${language}"`;
  return directionOf(language) === "ltr" ? lang : html`${lang} dir="rtl"`;
};

const noindex = html`<meta name="robots" content="noindex, nofollow" />`;

export const homeOf = (root: string): string => (root === "" ? "./" : root);

interface Card {
  readonly language?: Language;
  readonly site: Pick<Site, "brand" | "hasFrontPage" | "words">;
  readonly root: string;
  readonly sign: keyof typeof signs;
  readonly heading: string;
  readonly body: Markup;
  /** The way on; the front page, if it is left out and there is one. */
  readonly on?: Markup | false;
}

export function card({ language = "en", site, root, sign, heading, body, on }: Card): string {
  const { brand, hasFrontPage } = site;
  const home = homeOf(root);
  const way = on ?? (hasFrontPage && html`<a href="${home}">${site.words(language).pages.toFrontPage}</a>`);
  return layout({
    language,
    title: `${heading} · ${brand}`,
    root,
    styles: [siteAssets.card],
    head: noindex,
    body: html`<body>
      <main>
        <p class="brand">${hasFrontPage ? html`<a href="${home}">${brand}</a>` : brand}</p>
        ${signs[sign]}
        <h1>${heading}</h1>
        ${body} ${way && html`<p class="on">${way}</p>`}
      </main>
    </body>`,
  });
}

const sign = (kind: string, shape: Markup): Markup =>
  html`<svg class="sign ${kind}" aria-hidden="true" viewBox="0 0 24 24" width="44" height="44">
    <circle cx="12" cy="12" r="12" />
    ${shape}
  </svg>`;

const signs = {
  done: sign("good", html`<path d="m7 12.5 3.4 3.4L17 9.2" />`),
  mail: sign("open", html`<path d="M6.5 8h11v8.5h-11zm0 .5 5.5 4.5 5.5-4.5" />`),
  wait: sign("open", html`<path d="M12 6.5V12l3.5 2.5" />`),
  stop: sign("bad", html`<path d="M12 6.5v7m0 3.4v.1" />`),
};

interface SitePage extends Omit<Page, "styles"> {
  readonly site: Site;
  readonly styles?: readonly Asset[];
}

export function sitePage({ site, root, title, styles = [], body, ...page }: SitePage): string {
  const { brand, hasFrontPage } = site;
  const { language = "en" } = page;
  const words = site.words(language).pages;
  const ofForms = formOrder.map((form) => [formPages[form].anchor, words.forms[form].section] as const);
  const sections = [["packages", words.packages] as const, ...ofForms];
  return layout({
    ...page,
    title: title === brand ? brand : `${title} · ${brand}`,
    root,
    styles: [siteAssets.site, ...styles],
    body: html`<body>
      <a class="skip" href="#content">${words.skip}</a>
      <header>
        ${brandMark(brand, hasFrontPage ? root : null, root)}
        ${
          hasFrontPage &&
          html`<nav aria-label="${words.site}">
            ${sections.map(([id, name]) => html`<a href="${root}#${id}">${name}</a> `)}
          </nav>`
        }
      </header>
      ${body}
      <footer>
        <p>${brand}</p>
        <nav aria-label="${words.developers}">
          <a href="${root}docs">API</a>
          <a href="${root}openapi.json">${words.document}</a>
        </nav>
      </footer>
    </body>`,
  });
}

/** The sign and the name of the installation. @param home where they lead; null: nowhere */
export function brandMark(brand: string, home: string | null, root: string): Markup {
  const mark = html`<img src="${root}${siteAssets.icon.href}" alt="" width="28" height="28" />${brand}`;
  return home === null
    ? html`<span class="brand">${mark}</span>`
    : html`<a class="brand" href="${homeOf(home)}">${mark}</a>`;
}

/** For the head of a page with the forms' elements: their style sheet, and their script where it was built. */
export const formsHead = ({ bundle }: Site, root: string): Markup =>
  html`<link rel="preload" as="style" href="${root}${formsStyle.href}" /> ${
      bundle !== null &&
      html`<script type="module" src="${root}${bundle.script.href}"></script>
        <script type="module" src="${root}${siteAssets.cards.href}"></script>`
    }`;
