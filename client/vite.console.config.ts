// Builds the operators' console: index.html, the shell of every page, viewer.html, which draws resumes in a frame, and the
// files that they load, under names with a digest. The service writes the path of the console into the addresses of the shell, so a proxy may put it below a path.
import { readdirSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

/** Loads `early.ts` as a script of its own, before the one that Vite makes of all others. */
const earlyScript: Plugin = {
  name: "early-script",
  transformIndexHtml: {
    order: "post",
    handler(_html, { filename, bundle = {} }) {
      const early = Object.values(bundle).find(({ name }) => name === "early");
      if (early === undefined || !filename.endsWith("index.html")) return [];
      return [
        {
          tag: "script",
          attrs: { type: "module", async: true, crossorigin: true, src: `./${early.fileName}` },
          injectTo: "head-prepend",
        },
      ];
    },
  },
};

/** What tables of fields, and rows of kinds, have for forms alone. */
const ofForms = {
  fields:
    /\b(?:rule:\s*\w+(?:\([\w.]+\))?|(?:description|example|autocomplete):\s*(?:"[^"]*"|\[[^\]]*\])|half:\s*true|(?:en|de):\s*\{[^}]*\}),?/g,
  kinds: /\b(?:submit|accepted|again|received|procedure|path|person):\s*"[^"]*",?|\bform:\s*\w+,/g,
};

/** Removes it: every page of the console needs the rows. */
const compactRows: Plugin = {
  name: "compact-rows",
  transform(code, id) {
    if (id.endsWith("/shared/src/kinds.ts")) return code.replace(ofForms.kinds, "");
    return /\/shared\/src\/[\w-]+-(?:fields|table)\.ts$/.test(id) ? code.replace(ofForms.fields, "") : undefined;
  },
};

const pdfFolder = fileURLToPath(new URL("..", import.meta.resolve("pdfjs-dist")));
const { version } = JSON.parse(readFileSync(join(pdfFolder, "package.json"), "utf8")) as { readonly version: string };

/**
 * What pdf.js loads for some files: character maps, the standard fonts, decoders of pictures. Their folder names its version.
 * The licences of those files ask for their texts beside each copy.
 */
const pdfFiles: Plugin = {
  name: "pdf-files",
  generateBundle() {
    for (const folder of ["cmaps", "standard_fonts", "wasm"]) {
      const names = readdirSync(join(pdfFolder, folder));
      for (const name of names.filter((one) => /\.(?:bcmap|pfb|ttf|wasm)$|^LICENSE/.test(one))) {
        const source = readFileSync(join(pdfFolder, folder, name));
        this.emitFile({ type: "asset", fileName: `assets/pdfjs-${version}/${folder}/${name}`, source });
      }
    }
  },
};

/** Writes `NAME.br` beside each text. Compressing it as far as can be takes seconds, too long for the first who asks for it. */
const brotliFiles: Plugin = {
  name: "brotli-files",
  async writeBundle({ dir = "" }, bundle) {
    const texts = Object.keys(bundle).filter((name) => /\.(?:js|css|svg)$/.test(name));
    await Promise.all(
      texts.map(async (name) => {
        const file = join(dir, name);
        await writeFile(`${file}.br`, await promisify(brotliCompress)(await readFile(file)));
      }),
    );
  },
};

export default defineConfig({
  plugins: [earlyScript, compactRows, pdfFiles, brotliFiles],
  root: join(import.meta.dirname, "src/console"),
  base: "./",
  resolve: { conditions: ["@submissions/source", "browser", "import", "module", "default"] },
  build: {
    outDir: join(import.meta.dirname, "dist/console"),
    emptyOutDir: true,
    // Of all packages whose code is in the scripts.
    license: { fileName: "assets/LICENSES" },
    // The newest features in use are `light-dark()`, `popover` and `URL.parse`.
    target: ["chrome126", "firefox126", "safari18"],
    // A data: address would need an exception in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // pdf.js, which is loaded when a resume is opened.
    chunkSizeWarningLimit: 1_800,
    rolldownOptions: {
      input: ["index.html", "viewer.html", "early.ts"].map((name) => join(import.meta.dirname, "src/console", name)),
      checks: { pluginTimings: false },
      output: {
        // One file in place of several small ones for what every page needs: compressed together they are smaller.
        codeSplitting: {
          groups: [
            { name: "early", test: /console.early\./, priority: 1 },
            // The viewer of resumes needs it too, and nothing else of the console.
            { name: "loader", test: /preload-helper/, priority: 1 },
            {
              name: "console",
              // `useQueries` is for one page, which is loaded later.
              test: /node_modules.(?:react|react-dom|scheduler|@tanstack|@trpc)\b(?!.*[qQ]ueries)|console.(?:calls|operators|navigation|session|words|triage.triage|parts.(?:icons|states|toasts|modal|shortcuts|drafts|page|form))\./,
            },
          ],
        },
      },
      // React's directives for servers mean nothing here.
      onLog: (level, log, handle) => {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") handle(level, log);
      },
    },
  },
});
