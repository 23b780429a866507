// The packed client on the servers of SvelteKit and Astro, and in workerd, the runtime of Cloudflare's workers.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openBrowser } from "../support/browser.ts";
import { freePort, untilListening } from "../support/free-port.ts";
import { packAndInstall, run } from "../support/package/packed.ts";
import { openFolder } from "../support/folder.ts";
import { type Service, startService } from "../support/service.ts";
import { shared } from "../support/shared.ts";

const minutes = 60_000;
const packed = shared(packAndInstall);
const browser = shared(openBrowser);

test.each([
  ["SvelteKit", "sveltekit", ["vite/bin/vite.js", "build"], "build/index.js"],
  ["Astro", "astro", ["astro/bin/astro.mjs", "build"], "dist/server/entry.mjs"],
  ["workerd", "workerd", undefined, "serve.mjs"],
])(
  "%s takes a form by the client and hears why one is refused",
  async (_name, folder, build, server) => {
    await using own = await openFolder();
    const project = own.path;
    await cp(join(import.meta.dirname, "consumers", folder), project, { recursive: true });
    await run("npm", ["install", "--no-audit", "--no-fund", packed().tarball], project);
    if (build !== undefined) {
      const [program = "", ...words] = build;
      await run(process.execPath, [join(project, "node_modules", program), ...words], project);
    }
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    await using service = await startService({ env: { CORS_ORIGINS: url } });
    // SvelteKit takes itself for a server of HTTPS unless a proxy says otherwise.
    const proxy = { PROTOCOL_HEADER: "x-forwarded-proto" };
    const env = { ...process.env, ...proxy, HOST: "127.0.0.1", PORT: `${port}`, SUBMISSIONS_URL: service.url };
    const child = spawn(process.execPath, [server], { cwd: project, env, stdio: ["ignore", "ignore", "inherit"] });
    try {
      await untilListening(port, [child]);
      const says = async (response: Response) => /role="status">([^<]*)</.exec(await response.text())?.[1];
      expect(await says(await fetch(url))).toBe("nothing yet");
      const send = async (email: string) => {
        const body = new URLSearchParams({ name: "Ann Buyer", email });
        // SvelteKit answers programs that take no HTML with JSON.
        const headers = { accept: "text/html", origin: url, "x-forwarded-proto": "http" };
        const response = await fetch(url, { method: "POST", body, headers });
        return [response.status, await says(response)];
      };
      const refused = await send("not an address");
      expect(refused).toEqual([400, expect.stringContaining("mail")]);
      const [status, said] = await send("ann@example.org");
      const [stored, ...more] = (await service.stored()).inquiries;
      expect([status, said, more]).toEqual([200, stored?.reference, []]);
      expect(stored).toMatchObject({ name: "Ann Buyer", email: "ann@example.org" });
      if (folder === "sveltekit")
        for (const scripted of [false, true]) await askOwnFields(`${url}/form`, service, scripted);
    } finally {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    }
  },
  10 * minutes,
);

/** Fills in the form that the page renders on its server, with five fields of the page's own. */
async function askOwnFields(url: string, service: Service, javaScriptEnabled: boolean) {
  const context = await browser().newContext({ javaScriptEnabled });
  try {
    const page = await context.newPage();
    await page.goto(url);
    // The element takes over what the server has rendered.
    if (javaScriptEnabled) await page.locator("inquiry-form:defined form[novalidate]").waitFor();
    const form = page.locator("inquiry-form");
    await form.getByLabel("Austrian German").check();
    await form.getByLabel("Your name").fill("Ann Buyer");
    await form.getByLabel("E-mail address").fill("ann@example.org");
    await form.getByLabel("Your project").fill("Two hours");
    await form.getByLabel("Budget").fill(javaScriptEnabled ? "100" : "200");
    await form.getByLabel("Region").selectOption("US");
    await form.getByLabel("We need an NDA").check();
    await form.getByRole("button", { name: "Send inquiry" }).click();
    await page.getByText("Your inquiry has been sent").first().waitFor();
  } finally {
    await context.close();
  }
  expect((await service.stored()).inquiries.at(-1)).toMatchObject({
    selectedPackageIds: ["de-AT"],
    more: {
      message: "Two hours",
      budget: javaScriptEnabled ? "100" : "200",
      region: "US",
      nda: "yes",
      campaign: "spring",
    },
  });
}
