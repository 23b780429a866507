// Applies migrations and opens the store on the file named on the command line, the moment it is told to.
import { migrate, openStore } from "../../../server/src/storage/open-store.ts";

const location = { kind: "sqlite", file: process.argv[2] ?? "" } as const;
async function open(): Promise<void> {
  const applied = await migrate(location);
  await using store = await openStore(location);
  process.send?.({ applied, readiness: await store.checkReadiness() });
}

process.once("message", () => void open().finally(() => process.disconnect?.()));
process.send?.("waiting");
