// The frame of every page: head, style sheets, icon. It knows no words but those it is given.
import { html, render, type Markup } from "@submissions/shared/html";
import { readAsset, type Asset } from "./asset.ts";

/** Colours, letters and buttons of all pages. */
export const baseStyle = readAsset("/site/base.css", new URL("base.css", import.meta.url));
/** One card with one thing to do or to read. */
export const cardStyle = readAsset("/site/card.css", new URL("card.css", import.meta.url));
export const icon = readAsset("/favicon.svg", new URL("favicon.svg", import.meta.url));

interface Page {
  readonly title: string;
  /** The way back to the root, `../` as often as needed: addresses are relative, so that a proxy may put the service
   * below a path. */
  readonly root: string;
  readonly styles?: readonly Asset[];
  /** Whatever else belongs into the head. */
  readonly head?: Markup | undefined;
  readonly body: Markup;
}

/** Writes a page. */
export const layout = ({ title, root, styles = [], head, body }: Page): string =>
  render(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>${title}</title>
          <link rel="icon" href="${root}${icon.href}" type="image/svg+xml" />
          ${[baseStyle, ...styles].map(({ href }) => html`<link rel="stylesheet" href="${root}${href}" /> `)}${head}
        </head>
        ${body}
      </html> `,
  );

interface Card {
  readonly brand: string;
  readonly root: string;
  readonly heading: string;
  readonly body: Markup;
}

/** A page of one card, which search engines leave alone. */
export const card = ({ brand, root, heading, body }: Card): string =>
  layout({
    title: `${heading} · ${brand}`,
    root,
    styles: [cardStyle],
    head: html`<meta name="robots" content="noindex, nofollow" />`,
    body: html`<body>
      <main>
        <p class="brand">${brand}</p>
        <h1>${heading}</h1>
        ${body}
      </main>
    </body>`,
  });
