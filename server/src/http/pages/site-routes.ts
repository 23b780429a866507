// The site's addresses: the front page, thanks, what the forms load, and what they need to know of this installation.
import type { FastifyInstance } from "fastify";
import { Fault } from "../../fault.ts";
import { serveAsset } from "./asset.ts";
import { baseStyle, cardStyle, icon } from "./layout.ts";
import { refuse } from "../fault-reply.ts";
import { sendPage } from "./send-page.ts";
import { formsStyle } from "./form-element.ts";
import { frontPage } from "./front-page.ts";
import type { Site } from "./site.ts";
import { cardsScript, siteStyle, waveform } from "./site-page.ts";
import { thanksPage } from "./thanks-page.ts";

// Pages of anybody may embed the forms.
const forAnybody = { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" };

interface Query {
  readonly Querystring: Readonly<Record<string, unknown>>;
}

/** Adds the site. */
export function siteRoutes(app: FastifyInstance, site: Site): void {
  for (const asset of [baseStyle, cardStyle, siteStyle, waveform, cardsScript, icon]) serveAsset(app, asset);
  // Asked for by browsers where no page names an icon.
  serveAsset(app, { ...icon, path: "/favicon.ico" });
  for (const asset of [formsStyle, ...(site.bundle?.files ?? [])]) serveAsset(app, asset, forAnybody);

  app.get<Query>("/", (request, reply) => {
    // Kept by the browser that got it, for going back to it: there it has to find the same keys in the forms.
    reply.header("cache-control", "private, no-cache");
    const wanted = [request.query["package"] ?? []].flat().map(String);
    return sendPage(reply, frontPage(site, wanted), { scripted: true, indexed: true });
  });

  app.get<Query>("/thanks", (request, reply) => {
    const page = thanksPage(site, request.query);
    return page === null ? refuse(request, reply, new Fault("notFound")) : sendPage(reply, page, {});
  });

  const { catalogue, proofOfWork } = site;
  const packages = catalogue && [...catalogue].map(([id, title]) => ({ id, title }));
  const config = JSON.stringify({ packages, proofOfWork });
  app.get("/forms/config.json", (_request, reply) =>
    reply.type("application/json; charset=utf-8").header("cache-control", "public, max-age=300").send(config),
  );
}
