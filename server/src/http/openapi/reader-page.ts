// The page around the reader of the OpenAPI document. The reader itself is Swagger UI, started by reader.js.
import { html } from "@submissions/shared/html";
import { siteAssets } from "../pages/assets.ts";
import { layout } from "../pages/frame.ts";
import { readerAssets } from "./routes.ts";

const { swaggerScript, swaggerStyle, script, style } = readerAssets;

export const readerPage = (brand: string): string =>
  layout({
    title: `API · ${brand}`,
    root: "",
    styles: [swaggerStyle, style],
    head: html`<script src="${swaggerScript.href}" defer></script>
      <script src="${script.href}" type="module"></script>`,
    body: html`<body>
      <a class="skip" href="#operations">Skip to the content</a>
      <header>
        <a class="brand" href="./"><img src="${siteAssets.icon.href}" alt="" width="28" height="28" />${brand}</a>
        <nav aria-label="Site">
          <a href="./">Front page</a>
          <a href="openapi.json">OpenAPI document</a>
        </nav>
      </header>
      <div class="columns">
        <nav id="contents" aria-label="Operations"></nav>
        <div id="reader">
          <noscript>
            <p>
              This page needs JavaScript. <a href="openapi.json">The OpenAPI document</a> holds everything that it
              shows.
            </p>
          </noscript>
        </div>
      </div>
    </body>`,
  });
