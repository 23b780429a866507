// Tells on standard output, in the words of the log, which modules for traces are loaded.
import { registerHooks } from "node:module";

registerHooks({
  load(url, context, next) {
    if (/\/otlp-/.test(url)) process.stdout.write(`${JSON.stringify({ msg: "loaded", url })}\n`);
    return next(url, context);
  },
});
