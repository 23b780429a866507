// The address of the running service, in a file of its data folder: commands print links to it.
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { publicUrl, type Config } from "./config/config.ts";
import { ifMissing } from "./file-errors.ts";

const addressFile = (dataFolder: string) => join(dataFolder, "address");

/** Writes the address of the running service down until disposed of. */
export async function keepAddress(dataFolder: string, address: string): Promise<AsyncDisposable> {
  const remove = () => rm(addressFile(dataFolder), { force: true });
  // One that a killed process left behind keeps its mode.
  await remove();
  await writeFile(addressFile(dataFolder), address, { mode: 0o600 });
  return { [Symbol.asyncDispose]: remove };
}

// The base address in links that a command prints: `PUBLIC_URL`, or else the address of the running service, or else the
// one that the command's own settings make. A running service may listen on another port than the command's PORT says.
export const linkAddress = async (config: Config): Promise<string> =>
  config.publicUrl ?? readFile(addressFile(config.dataFolder), "utf8").catch(ifMissing(publicUrl(config)));
