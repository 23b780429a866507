// Prints each file that is loaded to standard output, as a line of the log.
import { registerHooks } from "node:module";

registerHooks({
  load(url, context, next) {
    if (url.startsWith("file:")) process.stdout.write(`${JSON.stringify({ msg: "loaded", url })}\n`);
    return next(url, context);
  },
});
