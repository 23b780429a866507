// The addresses of the site. The pages themselves are loaded when the first one is asked for.
import type { FastifyInstance } from "fastify";
import { builtInLanguages } from "../../config/languages.ts";
import { Fault } from "../../fault.ts";
import { sendPublicJson } from "../headers.ts";
import { formsStyle, serveAsset, siteAssets } from "./assets.ts";
import { policies, sendPage } from "./page-answer.ts";
import { packagesWith, type Site } from "./site.ts";

// Pages of any origin may embed the forms.
const forAnyOrigin = { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" };

type Query = { readonly Querystring: Readonly<Record<string, unknown>> };

export function siteRoutes(app: FastifyInstance, site: Site): void {
  for (const asset of Object.values(siteAssets)) serveAsset(app, asset);
  // Browsers ask for this one where no page names an icon.
  serveAsset(app, siteAssets.icon, { path: "/favicon.ico" });
  const { script, clientPackage, files } = site.bundle ?? { files: [] };
  for (const asset of [formsStyle, ...files]) {
    serveAsset(app, asset, { headers: forAnyOrigin, digested: asset === clientPackage });
  }
  // A page that checks the script's integrity needs one that never changes.
  if (script) serveAsset(app, script, { path: `/forms-${site.version}.js`, headers: forAnyOrigin, digested: true });

  if (site.hasFrontPage) {
    app.get<Query>("/", async (request, reply) => {
      const { frontPage } = await import("./front-page.ts");
      // The browser that got the page keeps it, so that going back finds the same keys in the forms.
      reply.header("cache-control", "private, no-cache");
      const wanted = [request.query["package"] ?? []].flat().map(String);
      return sendPage(reply, frontPage(site, wanted), { policy: policies.forms, indexed: true, posts: true });
    });
  }

  app.get<Query>("/thanks", async (request, reply) => {
    const { thanksPage } = await import("./thanks-page.ts");
    const page = thanksPage(site, request.query);
    if (page === null) throw new Fault("notFound");
    return sendPage(reply, page);
  });

  const { catalogue, proofOfWork } = site;
  const listed = catalogue && [...catalogue].map(([id, title]) => ({ id, title }));
  // Forms elsewhere offer what the front page offers: the sample, too.
  const packages = listed ?? (site.hasFrontPage ? packagesWith(site, []) : null);
  const own = [...site.languages].filter(([language]) => !builtInLanguages.has(language));
  const languages = own.length === 0 ? {} : { languages: own.map(([language]) => language) };
  const config = { packages, proofOfWork, ...languages };
  const fixed = JSON.stringify(config);
  const current = () => {
    const openings = site.openings();
    return openings === null ? fixed : JSON.stringify({ ...config, openings });
  };
  for (const [language, { formWords }] of own) {
    const words = JSON.stringify(formWords);
    app.get(`/forms/${language}.json`, (_request, reply) => sendPublicJson(reply.headers(forAnyOrigin), words));
  }
  app.get("/forms/config.json", (_request, reply) => sendPublicJson(reply, current()));
}
