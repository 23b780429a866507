// Takes the lock of the service on the database named on the command line, and keeps it until the process ends.
import { lockForService } from "../../../server/src/storage/sqlite/service-lock.ts";

const lock = await lockForService(process.argv[2] ?? "");
process.once("message", () => {
  lock[Symbol.dispose]();
  process.disconnect?.();
});
process.send?.("holding");
