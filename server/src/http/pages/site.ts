// The site: what its pages know of this installation, put together once, and its addresses: the front page, thanks, what
// the pages load, and what the forms need to know. The pages themselves are loaded when the first one is asked for.
import type { PackageChoice } from "@submissions/shared/forms/form-state";
import type { FastifyInstance } from "fastify";
import type { CataloguePackage } from "../../config/catalogue.ts";
import { Fault } from "../../fault.ts";
import type { Intake } from "../../intake/intake.ts";
import { refuse } from "../fault-reply.ts";
import { formsStyle, serveAsset, siteAssets, type FormsBundle } from "./assets.ts";
import { sendPage } from "./page-answer.ts";

/** A buyer reads no more, and a page with all of a large catalogue would be megabytes. */
const packagesShownMax = 200;

interface SiteFacts {
  readonly brand: string;
  readonly packages: readonly CataloguePackage[];
  /** The privacy notice of the forms; null: there is none. */
  readonly privacy: { readonly url: string; readonly consent: string } | null;
  /** The base address of this service. Asked for once it listens. */
  readonly publicUrl: () => string;
  /** The forms' script; null when it was not built. */
  readonly bundle: FormsBundle | null;
  readonly intake: Pick<Intake, "packageTitles" | "newsletterOptIn" | "proofOfWork">;
}

export type Site = ReturnType<typeof siteOf>;

export function siteOf({ intake, packages, ...facts }: SiteFacts) {
  const { packageTitles, newsletterOptIn, proofOfWork } = intake;
  return {
    ...facts,
    /** The packages that inquiries may name; null: any. */
    catalogue: packageTitles,
    /** The packages to choose from: the first of the catalogue, or else the sample. */
    packages: packages.slice(0, packagesShownMax),
    newsletterOptIn,
    proofOfWork: proofOfWork !== null,
  };
}

/** The packages to choose from, and those of `ids` that stand further down in the catalogue. */
export function packagesWith({ packages, catalogue }: Site, ids: readonly string[]): readonly PackageChoice[] {
  const missing = [...new Set(ids)].filter((id) => !packages.some((shown) => shown.id === id));
  return [
    ...packages.map(({ id, title }) => ({ id, title })),
    ...missing.flatMap((id) => {
      const title = catalogue?.get(id);
      return title === undefined ? [] : [{ id, title }];
    }),
  ];
}

// Pages of any origin may embed the forms.
const forAnyOrigin = { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" };

interface Query {
  readonly Querystring: Readonly<Record<string, unknown>>;
}

export function siteRoutes(app: FastifyInstance, site: Site): void {
  for (const asset of Object.values(siteAssets)) serveAsset(app, asset);
  // Browsers ask for this one where no page names an icon.
  serveAsset(app, siteAssets.icon, { path: "/favicon.ico" });
  for (const asset of [formsStyle, ...(site.bundle?.files ?? [])]) serveAsset(app, asset, { headers: forAnyOrigin });

  app.get<Query>("/", async (request, reply) => {
    const { frontPage } = await import("./front-page.ts");
    // The browser that got the page keeps it, so that going back finds the same keys in the forms.
    reply.header("cache-control", "private, no-cache");
    const wanted = [request.query["package"] ?? []].flat().map(String);
    return sendPage(reply, frontPage(site, wanted), { policy: "forms", indexed: true, posts: true });
  });

  app.get<Query>("/thanks", async (request, reply) => {
    const { thanksPage } = await import("./thanks-page.ts");
    const page = thanksPage(site, request.query);
    return page === null ? refuse(request, reply, new Fault("notFound")) : sendPage(reply, page);
  });

  const { catalogue, proofOfWork } = site;
  const packages = catalogue && [...catalogue].map(([id, title]) => ({ id, title }));
  const config = JSON.stringify({ packages, proofOfWork });
  app.get("/forms/config.json", (_request, reply) =>
    reply.type("application/json; charset=utf-8").header("cache-control", "public, max-age=300").send(config),
  );
}
