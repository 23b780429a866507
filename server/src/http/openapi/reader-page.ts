// The OpenAPI document as a page for reading. Rendered here, from the document alone; works without its script, and
// without the internet.
import { fieldTable, operationSection, type Placed } from "./operation-section.ts";
import { prose } from "./prose.ts";
import { html, type Markup } from "@submissions/shared/html";
import { readAsset } from "../pages/asset.ts";
import type { OpenApiDocument } from "./document-types.ts";
import { layout } from "../pages/layout.ts";

const docsStyle = readAsset("/docs/style.css", new URL("style.css", import.meta.url));
const copyScript = readAsset("/docs/copy.js", new URL("copy.js", import.meta.url));

/** What the page loads beside the base style sheet. */
export const docsAssets = [docsStyle, copyScript];

/** Renders the page. Its links are relative, so that it also works below a path of a proxy. */
export function renderDocsPage(document: OpenApiDocument): string {
  const { info, servers, tags } = document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Placed => ({ path, method, operation })),
  );
  const tagged = tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  return layout({
    title: `${info.title} API ${info.version}`,
    root: "",
    styles: [docsStyle],
    head: html`<script src="${copyScript.href}" defer></script>`,
    body: html`<body>
      <a class="skip" href="#content">Skip to the content</a>
      <header>
        <p class="title">${info.title} <span>API ${info.version}</span></p>
        ${navigation(tagged)}
      </header>
      <main id="content">
        <h1>${info.title} API</h1>
        <p class="facts">Base address <code>${servers[0]?.url}</code></p>
        ${prose(info.description)}
        <p><a class="plain button" href="openapi.json">OpenAPI document</a></p>
        ${operations.map((placed) => operationSection(document, placed))} ${errorSection(document)}
        <footer><p>${info.title} ${info.version} · ${info.license.name} licence</p></footer>
      </main>
    </body>`,
  });
}

interface Tagged {
  readonly name: string;
  readonly operations: readonly Placed[];
}

const navigation = (tags: readonly Tagged[]): Markup =>
  html`<nav aria-label="Operations">
    ${tags.map(
      ({ name, operations }) =>
        html`<p>${name}</p>
          <ul>
            ${operations.map(({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a>`)}
          </ul> `,
    )}
    <p>Errors</p>
    <ul>
      <li><a href="#errors">The body of every refusal</a>
    </ul>
  </nav>`;

const errorSection = ({ components }: OpenApiDocument): Markup =>
  html`<section aria-labelledby="errors">
    <h2 id="errors">
      The body of every refusal<a class="anchor" href="#errors" aria-label="Link to The body of every refusal">#</a>
    </h2>
    <p>
      Besides those listed with the operations, an unknown address is answered with <code>404</code>, and another method
      on a known one with <code>405</code> and <code>Allow</code>; both have this body too.
    </p>
    ${fieldTable("Fields of a refusal", "answer", components.schemas["Error"] ?? {})}
    ${fieldTable("Fields of an issue", "answer", components.schemas["Issue"] ?? {})}
  </section>`;
