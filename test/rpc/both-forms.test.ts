// The quick form of the procedures does what tRPC's own chain of middlewares does: the same receipts, refusals, counts and
// submissions, for whatever comes in.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Intake } from "../../server/src/intake/intake.ts";
import { describeFailure } from "../../server/src/rpc/failure.ts";
import { type Context, stockProcedure } from "../../server/src/rpc/procedure.ts";
import { appRouter, routerOf } from "../../server/src/rpc/router.ts";
import { Fault } from "../../server/src/fault.ts";
import { StorageUnavailable, type Entry } from "../../server/src/storage/store.ts";
import { hostileText } from "../fuzz/strings.ts";
import { applicant, buyer } from "../support/doors.ts";

const stockRouter = routerOf(stockProcedure);
const paths = ["marketplace.inquiry", "newsletter.subscribe", "applications.submit"] as const;

/** How the world around a call is. */
interface Scene {
  readonly admitted: number;
  readonly key: string | null | Fault;
  readonly catalogue: boolean;
  readonly store: "accepts" | "is away" | "breaks" | "answers nonsense";
}

/** What a call came to, as far as anything outside of it can tell. */
interface Outcome {
  readonly receipt?: unknown;
  readonly failure?: unknown;
  readonly counted: readonly unknown[];
  readonly stored: readonly unknown[];
  readonly ended: readonly unknown[];
}

function intakeOf({ catalogue, store }: Scene, stored: unknown[]): Intake {
  const accept = async ({ submission, spam, key }: Entry) => {
    if (store === "is away") throw new StorageUnavailable("away");
    if (store === "breaks") throw new TypeError("broken");
    const { receivedAt: _, ...record } = submission;
    // Tokens are drawn anew each time.
    stored.push({ ...record, confirm: null, unsubscribe: null }, spam, key?.fingerprint);
    // A reference that is none makes the schema of the receipt refuse.
    const reference = store === "accepts" ? `${record.kind === "inquiry" ? "INQ" : "APP"}-20261121-000001` : "?";
    return { result: "accepted", reference, mails: [], capped: [] } as const;
  };
  return {
    clock: { now: () => 0 },
    store: { accept, findEarlier: async () => null },
    vault: { keep: async () => "key", discard: async () => {} },
    outbox: { lease: () => ({ owner: "", until: 0 }), deliver: async () => true, imitateDelivery: async () => true },
    keysInFlight: new Set(),
    keysConfirmed: new Set(),
    proofOfWork: null,
    packageTitles: catalogue ? new Map([["en-GB-scottish", { title: "Scottish" }]]) : null,
    newsletterOptIn: "double",
    mailCapped: () => {},
    failedAfterCommit: () => {},
  } as unknown as Intake;
}

async function outcomeOf(router: typeof appRouter, path: string, raw: unknown, scene: Scene): Promise<Outcome> {
  const counted: unknown[] = [];
  const stored: unknown[] = [];
  const ended: unknown[] = [];
  const ctx: Context = {
    intake: intakeOf(scene, stored),
    door: "rpc",
    requestId: "request",
    key: () => {
      if (scene.key instanceof Fault) throw scene.key;
      return scene.key;
    },
    answerMsMax: 1_000,
    admission: { calls: scene.admitted, retryAfterSeconds: 7 },
    count: (...call) => counted.push(call),
    watch: () => ({ ended: (stage) => void ended.push(stage), stored: () => {} }),
    replayed: () => {},
  };
  const procedure = (router._def.procedures as unknown as Record<string, (options: object) => Promise<unknown>>)[path]!;
  const getRawInput = async () => raw;
  const call = { path, type: "mutation", ctx, getRawInput, signal: undefined, batchIndex: 0 };
  try {
    return { receipt: await procedure(call), counted, stored, ended };
  } catch (error) {
    return { failure: describeFailure(error), counted, stored, ended };
  }
}

const names = fc.constantFrom(
  ...Object.keys({ ...buyer, ...applicant, company: 0, source: 0, phone: 0, portfolioUrl: 0, coverLetter: 0 }),
  "resumeFile",
  "website",
  "altcha",
  "consentText",
  "consentPage",
  "__proto__",
  "constructor",
  "toString",
);
const value = fc.oneof(hostileText, fc.anything({ maxDepth: 2 }), fc.array(hostileText, { maxLength: 60 }));
const honest = fc.constantFrom<object>(
  buyer,
  applicant,
  { email: "reader@example.org" },
  { ...buyer, selectedPackageIds: ["nope", "en-GB-scottish", "nope"] },
  { ...buyer, email: "nobody", selectedPackageIds: ["nope", ""] },
  { ...applicant, website: "filled" },
);
const mixed = fc
  .tuple(honest, fc.array(fc.tuple(names, value), { maxLength: 3 }))
  .map(([base, more]) => ({ ...base, ...Object.fromEntries(more) }));
const form = fc.array(fc.tuple(names, hostileText), { maxLength: 8 }).map((entries) => {
  const data = new FormData();
  for (const [name, text] of [...Object.entries(applicant), ...entries]) data.append(name, text);
  return data;
});
const raw = fc.oneof(honest, mixed, form, fc.anything());
const scene: fc.Arbitrary<Scene> = fc.record({
  admitted: fc.constantFrom(1, 1, 1, 0),
  key: fc.constantFrom(null, "k", new Fault("idempotencyKeyInvalid")),
  catalogue: fc.boolean(),
  store: fc.constantFrom("accepts", "accepts", "is away", "breaks", "answers nonsense"),
});

const usual: Scene = { admitted: 1, key: null, catalogue: false, store: "accepts" };
/** One for every outcome, whatever else is drawn. */
const examples: [path: (typeof paths)[number], raw: unknown, scene: Scene][] = [
  ["marketplace.inquiry", buyer, usual],
  ["applications.submit", { ...applicant, website: "filled" }, usual],
  ["newsletter.subscribe", {}, usual],
  ["newsletter.subscribe", { email: "reader@example.org" }, { ...usual, admitted: 0 }],
  ["marketplace.inquiry", buyer, { ...usual, store: "is away" }],
  ["marketplace.inquiry", buyer, { ...usual, store: "breaks" }],
  ["marketplace.inquiry", buyer, { ...usual, store: "answers nonsense" }],
];

test("every call comes to the same by either form", async () => {
  const codes = new Set<unknown>();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), raw, scene, async (path, input, around) => {
      const quick = await outcomeOf(appRouter, path, input, around);
      expect(quick).toEqual(await outcomeOf(stockRouter, path, input, around));
      expect(quick.counted).toHaveLength(1);
      codes.add((quick.counted[0] as unknown[])[2]);
    }),
    { numRuns: 600, examples },
  );
  // That all outcomes were among them.
  expect(codes).toEqual(
    new Set(["OK", "SPAM", "BAD_REQUEST", "TOO_MANY_REQUESTS", "SERVICE_UNAVAILABLE", "INTERNAL_SERVER_ERROR"]),
  );
});

test("both routers describe the same procedures", () => {
  const described = (router: typeof appRouter) =>
    Object.entries(router._def.procedures as unknown as Record<string, { _def: Record<string, unknown> }>).map(
      ([path, { _def: def }]) => [path, def["type"], def["meta"], def["inputs"], def["output"]],
    );
  expect(described(appRouter)).toEqual(described(stockRouter));
});
