import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";
import type { Config } from "./config/config.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { ofKinds } from "./kinds.ts";
import { createLog } from "./observe/log.ts";
import type { SweepOptions, Swept } from "./resumes/vault.ts";
import type { Actor, Outdated } from "./storage/desk-store.ts";

const hour = 60 * 60 * 1000;
const now = Date.UTC(2026, 10, 21, 12);
const nothing: Swept = { staged: 0, setAside: 0, putBack: 0, removed: 0, withheld: "none" };

interface Scene {
  readonly failing?: readonly string[];
  readonly batches?: number;
  readonly swept?: Swept;
  /** Of how many submissions how many are outdated. */
  readonly outdated?: readonly [outdated: number, stored: number];
  readonly retentionDays?: Config["retentionDays"];
}

const keptForGood = { ...ofKinds(() => null), spam: null, declined: null };

/** What has to be tidied up. Each chore notes how far back it goes. */
function house(scene: Scene = {}) {
  const { failing = [], batches = 1, swept = nothing, outdated = [2, 2], retentionDays = keptForGood } = scene;
  const actors: Actor[] = [];
  const erased = ["r-1", "r-2"];
  const discarded: string[] = [];
  const forgotten: string[] = [];
  const done: [chore: string, ageMs: number][] = [];
  const lines: string[] = [];
  const waits: number[] = [];
  const round = Promise.withResolvers<void>();
  let left = batches;
  const chore = async (name: string, at: number) => {
    done.push([name, now - at]);
    if (failing.includes(name)) throw new Error(name);
  };
  const told = { done, actors, discarded, forgotten, lines, waits, round: round.promise };
  return {
    ...told,
    options: {
      store: {
        clock: { ...systemClock, now: () => now },
        identity: "i-1",
        async forgetExpired(at: number, { at: startedAt, elapsedMs }: { at: number; elapsedMs: number }) {
          expect([startedAt, elapsedMs >= 0 && elapsedMs < hour]).toEqual([now, true]);
          await chore("expired", at);
          left -= 1;
          return { forgotten: 500, more: left > 0 };
        },
        knownResumeKeys: async (keys: readonly string[], orErased = false) => new Set(orErased ? keys : []),
        desk: {
          countOutdated: async () => ({ outdated: outdated[0], stored: outdated[1] }),
          eraseOutdated: async ({ kind, before }: Outdated, actor: Actor) => {
            await chore(`outdated ${kind}`, before);
            actors.push(actor);
            return { submissions: 2, subscriptions: 0, resumes: 1, more: false };
          },
          resumesToDiscard: async (_limit: number, keys: readonly string[]) => {
            forgotten.push(...keys);
            return erased.splice(0);
          },
          countSubscribers: async () => {},
        },
      },
      retentionDays,
      retentionWaits: { set: (count: number) => void waits.push(count) },
      rateLimitStore: { forget: (before: number) => chore("counts", before) },
      vault: {
        belongsTo: async (identity: string) => identity === "i-1",
        discard: async (key: string) => void discarded.push(key),
        async sweep({ known, identity, olderThanMs }: SweepOptions) {
          expect([identity, await known(["k-1"])]).toEqual(["i-1", new Set(["k-1"])]);
          // The log is written in the turns after it.
          setImmediate(round.resolve);
          await chore("files", now - olderThanMs);
          return swept;
        },
      },
      log: createLog("info", { write: (line) => lines.push(line) }),
    },
  };
}

const everything = Object.entries({ expired: 0, counts: 60_000, files: hour });

test.each([[[]], [["files"]], [["expired"]], [["expired", "counts", "files"]]])(
  "does everything at the start, and logs each chore that fails: %j",
  async (failing) => {
    const { done, lines, round, options } = house({ failing });
    await using _keeping = startHousekeeping(options);
    await round;
    expect(done).toEqual(everything);
    expect(lines.filter((line) => line.includes("housekeeping failed"))).toHaveLength(failing.length);
  },
);

test("forgets in batches until nothing is left, and lets others have their turn in between", async () => {
  const { done, round, options } = house({ batches: 100 });
  let turns = 0;
  let next = setImmediate(function others() {
    turns += 1;
    next = setImmediate(others);
  });
  await using _keeping = startHousekeeping(options);
  await round;
  clearImmediate(next);
  expect(done.filter(([chore]) => chore === "expired")).toHaveLength(100);
  expect(turns).toBeGreaterThan(90);
});

test("begins nothing more once it is told to stop", async () => {
  const { done, options } = house({ batches: 100 });
  await startHousekeeping(options)[Symbol.asyncDispose]();
  expect(done.map(([chore]) => chore)).toEqual(["expired"]);
});

test("does without shared counts where there are none", async () => {
  const { done, round, lines, options } = house();
  await using _keeping = startHousekeeping({ ...options, rateLimitStore: null });
  await round;
  expect(done.map(([chore]) => chore)).toEqual(["expired", "files"]);
  expect(lines).toEqual([]);
});

test("logs what was swept, and loudly what was left alone", async () => {
  const swept: Swept = { staged: 1, setAside: 2, putBack: 3, removed: 4, withheld: "too-many" };
  const { round, lines, options } = house({ swept });
  await using _keeping = startHousekeeping(options);
  await round;
  const logged = lines.map((line) => JSON.parse(line) as { level: string; count?: number; code?: string });
  expect(logged.map(({ level, count, code }) => `${level} ${count ?? code}`)).toEqual([
    "info 1",
    "warn 2",
    "warn 3",
    "info 4",
    "error too-many",
  ]);
});

test("erases submissions that have had their days, and discards the bytes of erased resumes", async () => {
  const retentionDays = { ...keptForGood, inquiry: 30, spam: 7, declined: 60 };
  const { done, actors, discarded, forgotten, round, options } = house({ retentionDays });
  await using _housekeeping = startHousekeeping(options);
  await round;
  expect(done).toContainEqual(["outdated inquiry", 30 * 24 * hour]);
  expect(done).toContainEqual(["outdated spam", 7 * 24 * hour]);
  expect(done).toContainEqual(["outdated declined", 60 * 24 * hour]);
  expect(done.map(([chore]) => chore)).not.toContain("outdated application");
  const actor = { operator: "retention", at: now };
  expect(actors).toEqual([actor, actor, actor]);
  for (const keys of [discarded, forgotten]) expect(keys).toEqual(["r-1", "r-2"]);
});

test.each([
  [100, 100, true],
  [200, 1_000, true],
  [101, 504, false],
  [1_000, 1_000, false],
])("erases %i of %i at once without an operator's confirmation: %s", async (count, stored, erases) => {
  const retentionDays = { ...keptForGood, inquiry: 30 };
  const { done, lines, round, waits, options } = house({ outdated: [count, stored], retentionDays });
  await using _housekeeping = startHousekeeping(options);
  await round;
  expect(done.filter(([chore]) => chore === "outdated inquiry")).toHaveLength(erases ? 1 : 0);
  expect(waits).toEqual([erases ? 0 : count]);
  const before = new Date(now - 30 * 24 * hour).toISOString();
  const stopped = expect.objectContaining({ level: "error", kind: "inquiry", count, of: stored, before });
  const logged = lines.map((line) => JSON.parse(line) as object);
  expect(logged).toEqual(erases ? [expect.objectContaining({ level: "info", kind: "inquiry" })] : [stopped]);
});
