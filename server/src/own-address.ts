// The address of the running service, in a file of its data folder: commands make links with it where PUBLIC_URL is not
// set, because the service may listen on another port than their own PORT says.
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { publicUrl, type Config } from "./config/config.ts";
import { ifMissing } from "./file-errors.ts";

const fileIn = (dataFolder: string) => join(dataFolder, "address");

/** Writes the address down until disposed of. */
export async function keepAddress(dataFolder: string, address: string): Promise<AsyncDisposable> {
  await writeFile(fileIn(dataFolder), address);
  return { [Symbol.asyncDispose]: () => rm(fileIn(dataFolder), { force: true }) };
}

/** The base address in links that a command prints: `PUBLIC_URL`, that of the running service, or the one it would have. */
export async function linkAddress(config: Config): Promise<string> {
  // Without the file no service runs.
  const running = () => readFile(fileIn(config.dataFolder), "utf8").catch(ifMissing(publicUrl(config)));
  return config.publicUrl ?? running();
}
