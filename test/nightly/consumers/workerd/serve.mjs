import { build } from "esbuild";
import { Miniflare } from "miniflare";

await build({
  entryPoints: ["worker.js"],
  outfile: "bundle.mjs",
  bundle: true,
  format: "esm",
  conditions: ["workerd", "worker", "browser"],
});
const { HOST: host, PORT: port, SUBMISSIONS_URL } = process.env;
const worker = new Miniflare({
  modules: true,
  scriptPath: "bundle.mjs",
  compatibilityDate: "2026-07-01",
  host,
  port: Number(port),
  bindings: { SUBMISSIONS_URL },
});
await worker.ready;
process.once("SIGTERM", () => worker.dispose());
