// Runs all of it in a network of its own and prints what was seen; two to three minutes, as root on Linux with iproute2,
// util-linux, openssl and HAProxy:
//   npm exec -- node -C @submissions/source test/nightly/topology/run.ts
// With the word `host` it is the cut-off of a host alone.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { compare, countMails, cutOffDatabase, cutOffHost, during, restartEach } from "./scenario.ts";
import { openSite } from "./site.ts";

const inside = "--inside";
const words = process.argv.slice(2);

if (words.includes(inside)) {
  await using site = await openSite();
  const steady = await during(site, () => site.clients.more(300));
  const host = await cutOffHost(site);
  const rest = words.includes("host")
    ? {}
    : { restarts: await restartEach(site), database: await cutOffDatabase(site) };
  const stored = await compare(site);
  const mails = words.includes("host") ? {} : { mails: await countMails(site) };
  console.log(JSON.stringify({ steady, host, ...rest, stored, ...mails }, null, 2));
} else {
  const again = [process.execPath, "-C", "@submissions/source", fileURLToPath(import.meta.url), inside, ...words];
  process.exitCode = spawnSync("unshare", ["--net", ...again], { stdio: "inherit" }).status ?? 1;
}
