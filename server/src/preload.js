// Loaded before the programs by npm's scripts (`--import`). Reads `.env` if there is one, and has Node keep compiled code
// from start to start. JavaScript, because stripping the types of a first file costs 40 ms and 18 MB.
import { readFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// A folder that cannot be written is no error. Never a folder that others may write: what lies there is run.
enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/submissions", import.meta.url)));

// Not by --env-file-if-exists, which writes a line to standard error when there is no file.
try {
  // `loadEnvFile` reports a file that may not be read as missing (ENOENT). Reading it tells the two apart.
  readFileSync(".env");
  process.loadEnvFile(".env");
} catch (error) {
  if (error.code !== "ENOENT") {
    process.stderr.write(`The file .env cannot be read (${error.code}).\n`);
    process.exit(78);
  }
}
