// Serves the OpenAPI document and its reader. It is built when first asked for: only then is the address known.
import { on } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { html, type Markup } from "@submissions/shared/html";
import type { FastifyInstance } from "fastify";
import { keepAnswer } from "../../share-answer.ts";
import { cached, sendPublicJson } from "../headers.ts";
import { Asset, type FormsBundle, serveAsset } from "../pages/assets.ts";
import { policies, sendPage } from "../pages/page-answer.ts";
import type { Site } from "../pages/site.ts";
import type { DocumentOptions } from "./document.ts";

interface OpenApiRoutesOptions extends Omit<DocumentOptions, "publicUrl"> {
  readonly site: Pick<Site, "brand" | "hasFrontPage" | "bundle">;
  readonly publicUrl: () => string;
}

const require = createRequire(import.meta.url);
const ours = (name: string) => new Asset(`/docs/${name}`, () => readFileSync(new URL(name, import.meta.url)));
const swagger = (name: string, fileOf: () => string) => new Asset(`/docs/${name}`, () => readFileSync(fileOf()));

/** What the reader loads: Swagger UI, and how this service starts and styles it. */
const readerAssets = {
  swaggerStyle: swagger("swagger-ui.css", () => require.resolve("swagger-ui-dist/swagger-ui.css")),
  swaggerScript: swagger("swagger-ui.js", () => require.resolve("swagger-ui-dist/swagger-ui-bundle.js")),
  style: ours("reader.css"),
  script: ours("reader.js"),
} as const;

export function openApiRoutes(app: FastifyInstance, { site, publicUrl, ...options }: OpenApiRoutesOptions): void {
  async function build(): Promise<string> {
    const workerData: DocumentOptions = { ...options, publicUrl: publicUrl() };
    const worker = new Worker(new URL("document-worker.ts", import.meta.url), { workerData });
    for await (const [message] of on(worker, "message", { close: ["exit"] })) {
      // With `--watch` Node itself sends the names of the files that were loaded.
      if (typeof message === "string") return message;
    }
    throw new Error("The worker wrote no document.");
  }

  const built = keepAnswer(build);

  // The registered type, application/vnd.oai.openapi+json, makes browsers download it.
  app.get("/openapi.json", async (_request, reply) => sendPublicJson(reply, await built()));
  app.get("/docs", async (_request, reply) => {
    const page = await readerPage(site, fromPrograms(site.bundle, options.version, publicUrl()));
    return sendPage(reply.header("cache-control", cached.minutes), page, { policy: policies.reader, indexed: true });
  });
  for (const asset of Object.values(readerAssets)) serveAsset(app, asset);
}

/** The page around the reader, which reader.js starts. */
async function readerPage({ brand, hasFrontPage }: OpenApiRoutesOptions["site"], programs: Markup | null) {
  const { brandMark, layout } = await import("../pages/frame.ts");
  const { swaggerScript, swaggerStyle, script, style } = readerAssets;
  return layout({
    title: `API · ${brand}`,
    root: "",
    styles: [swaggerStyle, style],
    head: html`<script src="${swaggerScript.href}" defer></script>
      <script src="${script.href}" type="module"></script>`,
    body: html`<body>
      <a class="skip" href="#operations">Skip to the content</a>
      <header>
        ${brandMark(brand, hasFrontPage ? "" : null, "")}
        <nav aria-label="Site">
          ${hasFrontPage && html`<a href="./">Front page</a>`}
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
      ${programs}
    </body>`,
  });
}

/** How programs and pages get what this service hands out, with what proves that it is unchanged. */
function fromPrograms(bundle: FormsBundle | null, version: string, publicUrl: string): Markup | null {
  if (bundle === null) return null;
  const { clientPackage, script } = bundle;
  const tag = `<script type="module" src="${publicUrl}/forms-${version}.js" integrity="${script.integrity}" crossorigin></script>`;
  return html`<section id="packages" aria-labelledby="packages-heading">
    <h2 id="packages-heading">From TypeScript and from pages</h2>
    ${
      clientPackage &&
      html`<p>The typed client, for npm, pnpm, Yarn and Bun:</p>
        <pre><code>npm install ${publicUrl}${clientPackage.path}</code></pre>
        <p>Its integrity: <code>${clientPackage.integrity}</code></p>`
    }
    <p>The forms as elements, in a version that never changes:</p>
    <pre><code>${tag}</code></pre>
  </section>`;
}
