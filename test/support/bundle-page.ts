// A script for a page of a test, put together from the sources of the packages as another project would do it.
import { dirname } from "node:path";
import { build } from "vite";

const bundled = new Map<string, Promise<string>>();

/** The script in one piece, with React's warnings for developers. */
export const bundlePage = (entry: string): Promise<string> => bundled.getOrInsertComputed(entry, bundle);

async function bundle(entry: string): Promise<string> {
  const output = await build({
    root: dirname(entry),
    configFile: false,
    logLevel: "error",
    mode: "development",
    define: { "process.env.NODE_ENV": '"development"' },
    resolve: { conditions: ["browser", "@submissions/source", "import", "module", "default"] },
    build: {
      write: false,
      minify: false,
      rolldownOptions: { input: entry, output: { format: "es", codeSplitting: false } },
    },
  });
  const files = [output].flat().flatMap((one) => ("output" in one ? one.output : []));
  return files.map((file) => ("code" in file ? file.code : "")).join("");
}
