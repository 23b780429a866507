// Loaded before the programs by npm's scripts (`--import`). Reads `.env` if there is one, and has Node keep compiled code
// from start to start. JavaScript, because stripping the types of a first file costs 40 ms and 18 MB.
import { readFileSync } from "node:fs";
import { enableCompileCache, registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";

// A folder that cannot be written is no error. Never a folder that others may write: what lies there is run.
enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/submissions", import.meta.url)));

// zod loads its messages in 60 languages, which costs 4 MB. Ours are English.
registerHooks({
  resolve(specifier, context, next) {
    const isMessages = specifier === "../locales/index.js" && context.parentURL?.includes("/zod/");
    return next(isMessages ? "../locales/en.js" : specifier, context);
  },
});

// Not by Node's own --env-file-if-exists or `loadEnvFile`: of a name whose value is blank they take the next line as the
// value, and they report a file that may not be read as missing (ENOENT).
try {
  const text = decode(readFileSync(".env")).replaceAll(/=[ \t]+$/gm, "=");
  for (const [name, value] of Object.entries(parseEnv(text))) process.env[name] ??= value;
} catch (error) {
  if (error.code !== "ENOENT") {
    process.stderr.write(`The file .env cannot be read (${error.code}).\n`);
    process.exit(78);
  }
}

// Programs of Windows write a byte-order mark, which would be part of the first name, and some write UTF-16.
function decode(bytes) {
  const mark = bytes.subarray(0, 2).toString("hex");
  // It drops the mark.
  return new TextDecoder(mark === "fffe" ? "utf-16le" : mark === "feff" ? "utf-16be" : "utf-8").decode(bytes);
}
