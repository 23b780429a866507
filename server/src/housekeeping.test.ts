import { expect, test } from "vitest";
import { startHousekeeping } from "./housekeeping.ts";
import { createLog } from "./observe/log.ts";

const hour = 60 * 60 * 1000;
const now = Date.UTC(2026, 10, 21, 12);

/** Whatever is to be tidied up, each chore noted with how far back it goes; those that are named fail. */
function house(...failing: readonly string[]) {
  const done: [chore: string, ageMs: number][] = [];
  const lines: string[] = [];
  const swept = Promise.withResolvers<void>();
  const chore =
    (name: string) =>
    async (before: number): Promise<number> => {
      done.push([name, now - before]);
      if (failing.includes(name)) throw new Error(name);
      return 0;
    };
  return {
    done,
    lines,
    swept: swept.promise,
    options: {
      store: {
        forgetIdempotency: chore("keys"),
        forgetChallenges: chore("challenges"),
        knownResumeKeys: async () => new Set<string>(),
      },
      callCounts: { forget: async (before: number) => void (await chore("clients")(before)) },
      vault: {
        async sweep(_known: unknown, olderThanMs: number) {
          await chore("files")(now - olderThanMs).finally(swept.resolve);
          return { staged: 0, orphaned: 0, withheld: 0 };
        },
      },
      clock: { now: () => now },
      log: createLog("error", { write: (line) => lines.push(line) }),
    },
  };
}

const everything = [
  ["keys", 24 * hour],
  ["challenges", hour],
  ["clients", 60_000],
  ["files", hour],
];

test.each([[[]], [["files"]], [["keys"]], [["keys", "challenges", "clients", "files"]]])(
  "does everything at the start, whatever fails (%s), and says what did",
  async (failing) => {
    const { done, lines, swept, options } = house(...failing);
    await using _keeping = startHousekeeping(options);
    await swept;
    expect(done).toEqual(everything);
    await new Promise((resolve) => setImmediate(resolve));
    expect(lines.filter((line) => line.includes("housekeeping failed"))).toHaveLength(failing.length);
  },
);

test("begins nothing more once it is told to stop", async () => {
  const { done, options } = house();
  await startHousekeeping(options)[Symbol.asyncDispose]();
  expect(done.map(([chore]) => chore)).toEqual(["keys"]);
});

test("does without shared counts where there are none", async () => {
  const { done, swept, lines, options } = house();
  await using _keeping = startHousekeeping({ ...options, callCounts: null });
  await swept;
  expect(done.map(([chore]) => chore)).toEqual(["keys", "challenges", "files"]);
  expect(lines).toEqual([]);
});
