// Loaded before the service by tests: the optional packages are not installed.
import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (!/^@(?:aws-sdk\/|opentelemetry\/sdk-)/.test(specifier)) return nextResolve(specifier, context);
    throw Object.assign(new Error(`Cannot find package '${specifier}'`), { code: "ERR_MODULE_NOT_FOUND" });
  },
});
