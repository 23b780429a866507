// Builds the forms: by default the script that the service serves, with `--mode package` what the package exports, and
// with `--mode react` the React bindings. Each build is one file to load and the parts that it loads only where it must.
import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { MagicString } from "magic-string";
import { defineConfig, type BuildEnvironmentOptions, type PluginOption } from "vite";

const documentWords =
  /(?<=[{,]\s*)(?:label: "[^"]*",\s*(?=en:)|(?:description|example|storedAs):\s*(?:"[^"]*"|\[[^\]]*\]),?)/g;
const consoleWords =
  /\b(?:label|plural|yours|received|person|prefix|quoted|staged|file|role|icon):\s*(?:"[^"]*"|\{[^}]*\}|\w+),?/g;
const serverLimits = /\b(?:headers|json\w*|\w*Form|formField|formText|source\w*|consentText):[^,}\n]*,?/g;

/**
 * Removes what forms do without: line breaks and indentation of the markup and the style, and what the tables of fields and
 * kinds say in the OpenAPI document, in notices and in the console, and limits that only the server has.
 */
const compactTemplates: PluginOption = {
  name: "compact-templates",
  transform(code, id) {
    const compact = new MagicString(code);
    if (id.endsWith("/shared/src/forms/form-style.ts")) compact.replaceAll(/(?<=[{};:,>+])\s+|;?\s+(?=[{}>!+])/g, "");
    else if (/\/shared\/src\/[\w-]+-(?:fields|table)\.ts$/.test(id)) compact.replaceAll(documentWords, "");
    else if (id.endsWith("/shared/src/limits.ts")) compact.replaceAll(serverLimits, "");
    else if (id.endsWith("/shared/src/kinds.ts")) compact.replaceAll(consoleWords, "");
    else if (/\/(?:shared|client)\/src\/forms\//.test(id))
      compact.replaceAll(/\n\s+(\/?>)?/g, (_, end?: string) => end ?? "\n");
    else return undefined;
    return { code: compact.toString(), map: compact.generateMap({ hires: "boundary" }) };
  },
};

/** Of the file of a language the script holds what forms say, and not the words of pages and mails. */
const formWordsOnly: PluginOption = {
  name: "form-words-only",
  enforce: "pre",
  transform(text, id) {
    if (!/\/shared\/src\/languages\/\w+\.json$/.test(id)) return undefined;
    // A list of words, which no map leads into.
    return {
      code: JSON.stringify({ forms: (JSON.parse(text) as { readonly forms: object }).forms }),
      map: { mappings: "" },
    };
  },
};

/** Removes the scripts of an earlier build. The client's package, which the service hands out, lies beside them. */
const removeScripts: PluginOption = {
  name: "remove-scripts",
  buildStart() {
    for (const file of globSync("dist/forms/*.js", { cwd: import.meta.dirname }))
      rmSync(join(import.meta.dirname, file));
  },
};

// The service answers for its chunks under fixed names with a digest. Bundlers of others make their own.
const builds: Readonly<Record<string, BuildEnvironmentOptions>> = {
  production: {
    outDir: "dist/forms",
    emptyOutDir: false,
    lib: { entry: "src/forms/served-forms.ts", formats: ["es"], fileName: () => "forms.js" },
    rolldownOptions: {
      // Of what these make, the forms use nothing that is not named.
      treeshake: { manualPureFunctions: ["Object.keys", "submissionKinds"] },
      output: { chunkFileNames: "forms-[name]-[hash].js", minify: true, comments: false },
    },
  },
  package: {
    outDir: "dist/elements",
    sourcemap: true,
    lib: { entry: "src/forms/forms.ts", formats: ["es"], fileName: () => "forms.js" },
    rolldownOptions: { output: { chunkFileNames: "[name].js" } },
  },
  react: {
    outDir: "dist/react",
    sourcemap: true,
    lib: {
      entry: {
        react: "src/react/react.ts",
        "use-submission": "src/react/use-submission.ts",
        "server-markup": "src/react/server-markup.ts",
        "no-server-markup": "src/react/no-server-markup.ts",
      },
      formats: ["es"],
    },
    rolldownOptions: {
      external: [/^react/, /^@submissions\/client/, "#server-markup"],
      output: {
        chunkFileNames: "[name].js",
        banner: ({ name }) => (/^(?:react|use-submission)$/.test(name) ? '"use client";' : ""),
      },
    },
  },
};

export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  resolve: { conditions: ["@submissions/source", "browser", "import", "module", "default"] },
  plugins: [formWordsOnly, compactTemplates, mode === "package" || mode === "react" ? [] : removeScripts],
  build: {
    // The newest features in use are `light-dark()` and `URL.parse`.
    target: ["chrome126", "firefox126", "safari18"],
    modulePreload: false,
    ...(builds[mode] ?? builds["production"]),
  },
}));
