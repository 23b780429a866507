// Loaded before the service by tests: puts stand-ins in the place of its failpoints and its clock.
import { registerHooks } from "node:module";

const source = new URL("../../../../server/src/", import.meta.url);
const standIns = new Map([
  [new URL("failpoint.ts", source).href, new URL("failing-failpoint.ts", import.meta.url).href],
  [new URL("clock.ts", source).href, new URL("clock-ahead.ts", import.meta.url).href],
]);

registerHooks({
  resolve(specifier, context, nextResolve) {
    const found = nextResolve(specifier, context);
    const standIn = standIns.get(found.url);
    // A stand-in takes from the original what it leaves as it is.
    return standIn === undefined || standIn === context.parentURL ? found : { ...found, url: standIn };
  },
});
