// Removes from the image's node_modules what the service does not read: 46 of 106 MB. The image's build runs it; an
// install on a machine keeps its packages whole. It goes by paths only, so a package that changes its layout stays whole.
// trim.js FOLDER
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const [, , packages] = process.argv;

const unread = [
  // The service sends one of Swagger UI's builds.
  /^swagger-ui-dist\/swagger-ui(?:-es-bundle.*|-standalone-preset|)\.js$/,
  // The SDK's builds for bundlers. Node reads dist-cjs.
  /^@(?:aws|aws-sdk|smithy)\/.*\/dist-es$/,
  // Types. Node runs the service's TypeScript without reading any.
  /^(?:typescript|@typescript|@types)$/,
  /\.d\.[cm]?ts$/,
  // Binaries of Rollup, which trpc-to-openapi brings and never loads.
  /^@rollup\/rollup-[^/]+$/,
  // Source maps, and the sources, tests and browser builds that large packages bring beside what Node reads.
  /\.(?:[cm]?[jt]s|css)\.map$/,
  /^(?:zod\/src|ajv\/lib|yaml\/browser)$/,
  /^(?:bintrees|fast-json-stringify|fastify|find-my-way|pino)\/test$/,
];

function trim(folder) {
  for (const entry of readdirSync(join(packages, folder), { withFileTypes: true })) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    // Links of the workspaces lead out of node_modules.
    if (entry.isSymbolicLink()) continue;
    if (unread.some((pattern) => pattern.test(path))) rmSync(join(packages, path), { recursive: true });
    else if (entry.isDirectory()) trim(path);
  }
}

trim("");
