// Runs all of it in a network of its own and prints what was seen; two to three minutes, as root on Linux with iproute2,
// util-linux, openssl and HAProxy: npm exec -- node -C @submissions/source test/nightly/topology/run.ts
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { compare, cutOffHost } from "./scenario.ts";
import { openSite } from "./site.ts";

const inside = "--inside";

if (process.argv.includes(inside)) {
  await using site = await openSite();
  await site.clients.more(300);
  const host = await cutOffHost(site);
  console.log(JSON.stringify({ host, stored: await compare(site) }, null, 2));
} else {
  const again = [process.execPath, "-C", "@submissions/source", fileURLToPath(import.meta.url), inside];
  process.exitCode = spawnSync("unshare", ["--net", ...again], { stdio: "inherit" }).status ?? 1;
}
