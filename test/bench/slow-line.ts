// How long the console takes to show its frame and the rows of the inbox on a slow line: 800 ms to the service and back,
// 50 kB/s, nothing in the browser's cache. It needs the console built.
// npm run bench:slow-line
import packed from "@sparticuz/chromium";
import { devOperator } from "../../server/dev/operator.ts";
import { seedStore } from "../../server/dev/seed/seed.ts";
import { openStore } from "../../server/src/storage/open-store.ts";
import { startBrowser } from "../support/browser.ts";
import { openFolder } from "../support/folder.ts";
import { startProcess } from "../support/service-process.ts";

const rounds = 3;
const line = { offline: false, latency: 800, downloadThroughput: 50_000, uploadThroughput: 50_000 };

await using folder = await openFolder();
const location = { kind: "sqlite", file: `${folder.path}/submissions.sqlite` } as const;
await seedStore(location, { count: 300, days: 30, now: Date.now() });
const store = await openStore(location);
const operator = await devOperator(store, folder.path);
await store[Symbol.asyncDispose]();
await using service = await startProcess({}, { dataFolder: folder.path });
const browser = await startBrowser(() => packed.executablePath());
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
const address = `${service.url}/console`;
await page.goto(address);
await page.getByLabel("E-mail address").fill(operator!.email);
await page.getByLabel("Password", { exact: true }).fill(operator!.password);
await page.getByRole("button", { name: "Sign in" }).click();
await page.locator(".rows .row").first().waitFor();
// The first page of an operator who is signed in remembers it.
await page.reload();
await page.locator(".rows .row").first().waitFor();
const network = await page.context().newCDPSession(page);
await network.send("Network.enable");
await network.send("Network.setCacheDisabled", { cacheDisabled: true });
await network.send("Network.emulateNetworkConditions", line);
for (let round = 0; round < rounds; round += 1) {
  const begin = performance.now();
  const shown = async (selector: string) => {
    await page.locator(selector).first().waitFor();
    return Math.round(performance.now() - begin);
  };
  await page.goto(address, { waitUntil: "commit" });
  const [drawn, filled, rows] = await Promise.all([".framed #root", ".frame", ".rows .row"].map(shown));
  const paint = "first-contentful-paint";
  const painted = await page.evaluate((name) => performance.getEntriesByName(name)[0]?.startTime, paint);
  // What is under way would take its part of the line in the next round.
  await page.waitForLoadState("networkidle");
  console.log(`painted ${Math.round(painted ?? 0)} ms, frame ${drawn} ms, filled ${filled} ms, rows ${rows} ms`);
}
await browser.close();
