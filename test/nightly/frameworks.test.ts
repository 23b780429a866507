// The packed client on the servers of SvelteKit and Astro, and in workerd, the runtime of Cloudflare's workers.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freePort, untilListening } from "../support/free-port.ts";
import { packAndInstall, run } from "../support/package/packed.ts";
import { startService } from "../support/service.ts";
import { shared } from "../support/shared.ts";

const minutes = 60_000;
const packed = shared(packAndInstall);

test.each([
  ["SvelteKit", "sveltekit", ["vite/bin/vite.js", "build"], "build/index.js"],
  ["Astro", "astro", ["astro/bin/astro.mjs", "build"], "dist/server/entry.mjs"],
  ["workerd", "workerd", undefined, "serve.mjs"],
])(
  "%s takes a form by the client and hears why one is refused",
  async (_name, folder, build, server) => {
    const project = join(packed().project, "..", folder);
    await cp(join(import.meta.dirname, "consumers", folder), project, { recursive: true });
    await run("npm", ["install", "--no-audit", "--no-fund", packed().tarball], project);
    if (build !== undefined) {
      const [program = "", ...words] = build;
      await run(process.execPath, [join(project, "node_modules", program), ...words], project);
    }
    await using service = await startService();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
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
    } finally {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    }
  },
  10 * minutes,
);
