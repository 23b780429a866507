// The frame of the pages with forms: the site's header and footer, and the forms' script where it was built.
import { html, type Markup } from "@submissions/shared/html";
import { readAsset } from "./asset.ts";
import { icon, layout } from "./layout.ts";
import { formsStyle } from "./form-element.ts";
import type { Site } from "./site.ts";

export const siteStyle = readAsset("/site/site.css", new URL("site.css", import.meta.url));
export const waveform = readAsset("/site/waveform.svg", new URL("waveform.svg", import.meta.url));
/** Has the links of the cards tick their boxes. */
export const cardsScript = readAsset("/site/cards.js", new URL("cards.js", import.meta.url));

interface SitePage {
  readonly site: Site;
  readonly root: string;
  readonly title: string;
  readonly description?: string;
  readonly body: Markup;
}

export function sitePage({ site, root, title, description, body }: SitePage): string {
  const { brand, bundle } = site;
  const home = root === "" ? "./" : root;
  return layout({
    title: title === brand ? brand : `${title} · ${brand}`,
    root,
    styles: [siteStyle],
    head: html`${description && html`<meta name="description" content="${description}" />`}
      <link rel="preload" as="style" href="${root}${formsStyle.href}" />
      ${
        bundle !== null &&
        html`<script type="module" src="${root}${bundle.script.href}"></script>
          <script type="module" src="${root}${cardsScript.href}"></script>`
      }`,
    body: html`<body>
      <a class="skip" href="#content">Skip to the content</a>
      <header>
        <a class="brand" href="${home}"><img src="${root}${icon.href}" alt="" width="28" height="28" />${brand}</a>
        <nav aria-label="Site">
          <a href="${root}#packages">Packages</a>
          <a href="${root}#inquiry">Inquiry</a>
          <a href="${root}#newsletter">Newsletter</a>
          <a href="${root}#careers">Careers</a>
        </nav>
      </header>
      ${body}
      <footer>
        <p>${brand}</p>
        <nav aria-label="For developers">
          <a href="${root}docs">API</a>
          <a href="${root}openapi.json">OpenAPI document</a>
        </nav>
      </footer>
    </body>`,
  });
}
