// Loaded before the service: on SIGUSR2 it collects its garbage and writes a line that says how large its heap then is.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

process.on("SIGUSR2", () => {
  // What finalisers let go of is collected the next time.
  for (let round = 0; round < 3; round += 1) collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ msg: "gauge", heapUsed, external, rss })}\n`);
});
