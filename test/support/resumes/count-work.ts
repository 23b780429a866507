// Counts the work of code instead of timing it: how often the blocks of its source run, as V8's coverage counts them. Two
// runs of the same code give the same number on any machine. Does not see inside native functions.
import { Session } from "node:inspector/promises";

/** Call it before the code runs for the first time: V8 counts blocks only of functions that it compiles from now on. */
export async function startCounting(
  folder: string,
): Promise<AsyncDisposable & { count(run: () => Promise<unknown>): Promise<number> }> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const take = async () => {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    return result
      .filter(({ url }) => url.includes(folder))
      .flatMap(({ functions }) => functions)
      .flatMap(({ ranges }) => ranges)
      .reduce((sum, { count }) => sum + count, 0);
  };
  return {
    async count(run) {
      await take();
      await run();
      return take();
    },
    async [Symbol.asyncDispose]() {
      await session.post("Profiler.stopPreciseCoverage");
      session.disconnect();
    },
  };
}
