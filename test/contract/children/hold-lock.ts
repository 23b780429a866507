// Holds the write lock of the database named on the command line until it is told to let go.
import { DatabaseSync } from "node:sqlite";

const database = new DatabaseSync(process.argv[2] ?? "", { timeout: 5_000 });
database.exec("BEGIN IMMEDIATE");
process.once("message", () => {
  database.exec("COMMIT");
  database.close();
  process.disconnect?.();
});
process.send?.("holding");
