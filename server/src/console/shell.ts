// The pages of the console: one static shell for all addresses, and the files that it loads. It needs no cookie: a click in
// a mail brings no `SameSite=Strict` cookie, but the calls of the page do.
import { writeFill } from "@submissions/shared/html";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../fault.ts";
import type { Console } from "./console.ts";
import { consolePath } from "./cookies.ts";
import { assetsIn, serveAsset, serveAssets } from "../http/pages/assets.ts";
import { policyOf, sendPage } from "../http/pages/page-answer.ts";

const shellPolicy = policyOf(
  "script-src 'self'; connect-src 'self'; frame-src 'self'; font-src 'self'; form-action 'self'",
  "require-trusted-types-for 'script'",
);

// The viewer runs in a frame of opaque origin. 'self' is where the page came from, by whichever name (CSP 3); browsers to which
// it is nothing there go by the address.
const viewerPolicy = (publicUrl: string): string => {
  const own = `'self' ${new URL(publicUrl).origin}${consolePath(publicUrl)}/assets/`;
  return [
    "sandbox allow-scripts",
    "default-src 'none'",
    // The decoders of pictures are WebAssembly.
    `script-src ${own} 'wasm-unsafe-eval'`,
    `style-src ${own}`,
    `worker-src ${own} blob:`,
    "img-src blob: data:",
    `font-src ${own} data:`,
    // Character maps, fonts and decoders.
    `connect-src ${own}`,
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join("; ");
};

/** The addresses at which no shell answers. */
const notPages =
  /^\/console\/(?:(?:trpc|exports|resumes|assets|oidc)(?:\/|$)|(?:answers|replies)\/files\/|people\/[^/]+\.ndjson$)/;

/** Adds the pages. Answers whether the front end was built. @param folder where it is built to */
export function consolePages(app: FastifyInstance, folder: string, console: Console): boolean {
  const { publicUrl, openIdConnect, brand } = console;
  const built = findBuilt(folder);
  if (built === null) return false;
  // The frame of the viewer has no origin, so its files are for any.
  const headers = { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" };
  serveAssets(app, "/console/assets/", built.assets, { headers, digested: true });
  for (const asset of built.assets) {
    if (!asset.path.startsWith("/console/assets/")) serveAsset(app, asset, { headers });
  }
  const shell = withBrand(built.shell, brand);
  const sendShell = async (request: FastifyRequest, reply: FastifyReply) => {
    if (notPages.test(new URL(request.url, "http://internal").pathname)) throw new Fault("notFound");
    // A browser follows the form that signs in to the provider's page only if the policy names that, too.
    const leadsTo = await openIdConnect?.origin();
    if (isTrustworthy(new URL(publicUrl()))) reply.header("cross-origin-opener-policy", "same-origin");
    return sendPage(reply.headers(revalidated), inPath(shell, publicUrl()), { policy: shellPolicy, leadsTo });
  };
  app.get("/console", sendShell);
  app.get(
    "/console/*",
    { config: { matches: (path) => path.startsWith("/console/") && !notPages.test(path) } },
    sendShell,
  );
  const { viewer } = built;
  if (viewer === null) return true;
  app.get("/console/viewer.html", (_request, reply) => {
    reply.headers({ ...revalidated, "access-control-allow-origin": "*" });
    return sendPage(reply, viewer, { policy: viewerPolicy(publicUrl()) });
  });
  return true;
}

/** Always: the shell names the files of this version. */
const revalidated = { "cache-control": "no-cache" };

/** Whether browsers trust the way to an address. Elsewhere they ignore the opener policy, and say so in their console. */
const isTrustworthy = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);

/** Every page is this shell, so its files need whole paths. The service may lie below the path of its base address. */
const inPath = (html: string, publicUrl: string): string =>
  html.replaceAll(/(?<=(?:src|href)=")\.\//g, `${consolePath(publicUrl)}/`);

/** The script of the page reads the name there. */
const withBrand = (html: string, brand: string): string =>
  html.replaceAll(/(?<=<title>|name="application-name" content="|data-brand=")Console/g, () => writeFill(brand));

/** Null: the front end was not built. Without the viewer, resumes are downloaded only. */
function findBuilt(folder: string) {
  const files = assetsIn(folder, "/console/");
  const page = (name: string) => files.find(({ path }) => path === `/console/${name}`)?.bytes.toString() ?? null;
  const shell = page("index.html");
  if (shell === null) return null;
  return { shell, viewer: page("viewer.html"), assets: files.filter(({ path }) => !path.endsWith(".html")) };
}
