// Before any browser starts: builds the forms and the console as they are now, for the services of the tests to serve, and
// unpacks the browser, which two test files at once would do on top of each other.
import { join } from "node:path";
import packed from "@sparticuz/chromium";
import { build } from "vite";

const client = join(import.meta.dirname, "../../client");

export async function setup(): Promise<void> {
  await build({ root: client, configFile: join(client, "vite.forms.config.ts"), logLevel: "warn" });
  // Vitest says `test` here, and React would be built for development.
  const { NODE_ENV } = process.env;
  process.env["NODE_ENV"] = "production";
  await build({ configFile: join(client, "vite.console.config.ts"), logLevel: "warn" });
  process.env["NODE_ENV"] = NODE_ENV;
  if (process.env["CHROMIUM_PATH"] === undefined) await packed.executablePath();
}
