// Tells on standard output, in the words of the log, which files are loaded.
import { registerHooks } from "node:module";

registerHooks({
  load(url, context, next) {
    if (url.startsWith("file:")) process.stdout.write(`${JSON.stringify({ msg: "loaded", url })}\n`);
    return next(url, context);
  },
});
