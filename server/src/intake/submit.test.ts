import { afterEach, describe, expect, test, vi } from "vitest";
import type { CheckedApplication } from "@submissions/shared/application";
import type { CheckedInquiry } from "@submissions/shared/inquiry";
import { Fault } from "../fault.ts";
import { VaultUnavailable, type StagedResume } from "../resumes/vault.ts";
import type { EarlierSubmission, LeasedMail } from "../storage/records.ts";
import { StorageUnavailable, type Acceptance, type Entry } from "../storage/store.ts";
import type { Call, Stage } from "./call.ts";
import { featureOf } from "./submission.ts";
import type { Intake } from "./submit.ts";
import { submit } from "./submit.ts";
import { subscribe } from "./subscription.ts";

const buyer: CheckedInquiry = { name: "Ann", company: undefined, email: "ann@example.org", selectedPackageIds: ["en"] };
const resume: StagedResume = { path: "/staging/1", size: 600, sha256: "ab", kind: "pdf", filename: "cv.pdf" };
const applicant = { fullName: "Ana", email: "ana@example.org", position: "Annotator" } as CheckedApplication;
const [inquiry, application] = [featureOf("inquiry"), featureOf("application")];
const mail = { id: "1-a", kind: "inquiry-receipt" } as LeasedMail;
const accepted: Acceptance = { result: "accepted", reference: "INQ-20261121-042137", mails: [mail], capped: [] };
const ended = vi.fn<(stage: Stage) => void>();
const call: Call = {
  value: {},
  problems: [],
  resume: null,
  door: "rest",
  requestId: "request-1",
  language: "en",
  key: null,
  spam: false,
  solution: null,
  consent: null,
  more: null,
  deadline: Number.POSITIVE_INFINITY,
  watch: { ended, stored: () => {}, mailed: () => {} },
};

const applying: Call = { ...call, resume };

afterEach(() => {
  vi.clearAllMocks();
  vi.useRealTimers();
});

function intakeWith(accept: (entry: Entry) => Promise<Acceptance>, earlier: EarlierSubmission | null = null) {
  const seen = {
    entries: [] as Entry[],
    discarded: [] as string[],
    kept: 0,
    delivered: [] as (readonly LeasedMail[])[],
    failures: [] as unknown[],
  };
  const intake: Intake = {
    clock: { now: () => Date.UTC(2026, 10, 21, 23, 59, 30) },
    store: {
      accept: (entry) => {
        seen.entries.push(entry);
        return accept(entry);
      },
      findEarlier: async () => earlier,
    },
    vault: {
      keep: async () => {
        seen.kept += 1;
        return "2026/11/21/key";
      },
      discard: async (key) => void seen.discarded.push(key),
    },
    outbox: {
      lease: () => ({ owner: "process", until: 1 }),
      deliver: async (mails) => {
        seen.delivered.push(mails);
        return true;
      },
      callers: { imitate: async () => true },
    },
    keysInFlight: new Set(),
    keysConfirmed: new Set(),
    proofOfWork: null,
    packageTitles: null,
    languages: new Set(["en"]),
    openings: null,
    newsletterOptIn: "double",
    mailCapped: () => {},
    failedAfterCommit: (error) => void seen.failures.push(error),
  };
  return { intake, seen };
}

const refusalOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => (error instanceof Fault ? error.fault : error),
  );

describe("a key", () => {
  test("that is repeated before the store knows of the receipt is answered alike", async () => {
    const first = intakeWith(async () => accepted);
    await submit(first.intake, inquiry, buyer, { ...call, key: "k" });
    const { fingerprint } = first.seen.entries[0]!.key!;
    const earlier = { fingerprint, reference: "INQ-20261121-042137", receiptSent: false, spam: false };
    const store = { ...first.intake.store, findEarlier: async () => earlier };
    const again = await submit({ ...first.intake, store }, inquiry, buyer, { ...call, key: "k" });
    expect(again.confirmationEmailSent).toBe(true);
  });

  test("that is still being worked on is a conflict, and is free again after a refusal", async () => {
    const { promise, reject } = Promise.withResolvers<Acceptance>();
    const { intake } = intakeWith(() => promise);
    const first = refusalOf(submit(intake, inquiry, buyer, { ...call, key: "k" }));
    expect(await refusalOf(submit(intake, inquiry, buyer, { ...call, key: "k" }))).toBe("idempotencyConflict");
    reject(new StorageUnavailable("closed"));
    expect(await first).toBeInstanceOf(StorageUnavailable);
    expect(intake.keysInFlight.size).toBe(0);
  });
});

describe("a resume", () => {
  const apply = (accept: () => Promise<Acceptance>) => {
    const { intake, seen } = intakeWith(accept);
    return { seen, answered: submit(intake, application, applicant, applying).catch((error: unknown) => error) };
  };

  test.each<[string, () => Promise<Acceptance>]>([
    ["the challenge was spent", async () => ({ result: "challenge-spent" })],
    ["no reference is left", async () => ({ result: "references-exhausted" })],
    ["the store says that nothing is stored", () => Promise.reject(new StorageUnavailable("full"))],
  ])("is taken back when %s", async (_why, accept) => {
    const { answered, seen } = apply(accept);
    expect(await answered).toBeInstanceOf(Error);
    expect(seen).toMatchObject({ kept: 1, discarded: ["2026/11/21/key"] });
  });

  test.each<[string, () => Promise<Acceptance>]>([
    ["it is stored", async () => accepted],
    ["the outcome is unknown", () => Promise.reject(new StorageUnavailable("lost", { outcome: "unknown" }))],
    ["anything else went wrong", () => Promise.reject(new TypeError("a mistake after the commit"))],
  ])("stays when %s", async (_why, accept) => {
    const { answered, seen } = apply(accept);
    await answered;
    expect(seen).toMatchObject({ kept: 1, discarded: [] });
  });

  test("that cannot be taken back does not change the answer", async () => {
    const { intake } = intakeWith(async () => ({ result: "references-exhausted" }));
    const vault = { ...intake.vault, discard: () => Promise.reject(new VaultUnavailable("away")) };
    expect(await refusalOf(submit({ ...intake, vault }, application, applicant, applying))).toBe("referencesExhausted");
  });
});

test("what fails after the commit is reported, and the answer is a success all the same", async () => {
  const { intake, seen } = intakeWith(async () => accepted);
  const outbox = { ...intake.outbox, deliver: () => Promise.reject(new Error("the outbox failed")) };
  const receipt = await submit({ ...intake, outbox }, application, applicant, applying);
  expect(receipt.confirmationEmailSent).toBe(false);
  expect(seen.discarded).toEqual([]);
  expect(seen.failures).toHaveLength(1);
});

test("references are refused until the next UTC day when none is left", async () => {
  const { intake } = intakeWith(async () => ({ result: "references-exhausted" }));
  const refusal = await submit(intake, inquiry, buyer, call).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ fault: "referencesExhausted", retryAfterSeconds: 30 });
});

describe("a subscription", () => {
  const reader = { email: "ann@example.org", source: "footer" };

  test.each([
    ["a new address", { mails: [mail], spam: false }],
    ["a known address", { mails: [], spam: false }],
    ["spam", { mails: [], spam: true }],
  ])("of %s is answered after the same time", async (_whose, { mails, spam }) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { intake } = intakeWith(async () => ({ result: "accepted", reference: null, mails, capped: [] }));
    const ends: string[] = [];
    void subscribe(intake, reader, { ...call, spam }).then(() => ends.push("answered"));
    await vi.advanceTimersByTimeAsync(32);
    expect(ends).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ends).toEqual(["answered"]);
  });
});
