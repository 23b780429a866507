// The outbox over a store and a mailer that are played by hand. On a real store: test/service/mail/.
import { afterEach, describe, expect, test } from "vitest";
import type { LeasedMail, MailSettlement } from "../storage/records.ts";
import type { Lease } from "../storage/store.ts";
import type { Mailer, MailFinding, MailOutcome, OutgoingMail } from "./mailer.ts";
import { openOutbox, type Outbox } from "./outbox.ts";

const now = 1_700_000_000_000;
const taken = (id: string): MailOutcome => ({ result: "taken", providerId: `p-${id}` });
const later = (cause: "provider" | "limit" | "ambiguous" | "configuration", more: { retryAfterMs?: number } = {}) =>
  ({ result: "later", error: cause, cause, ...more }) as const;

const welcome = {
  email: "a@example.org",
  requestId: "r",
  language: "en",
  confirmToken: null,
  unsubscribeToken: "u",
} as const;
const mail = (id: string, more: Partial<LeasedMail> = {}): LeasedMail => ({
  id,
  kind: id.startsWith("notice") ? "inquiry-notice" : "inquiry-receipt",
  about: { welcome },
  attempts: 0,
  createdAt: now,
  denials: null,
  leasedUntil: now + 30_000,
  ...more,
});
const mails = (...ids: string[]) => ids.map((id) => mail(id));
const content = { to: ["a@example.org"], subject: "s", text: "t", html: "h", replyTo: [], headers: {} };

type Scene = Partial<Pick<Mailer, "batchMax" | "calls" | "gatherMs" | "doubt">> & {
  readonly deadlineMs?: number;
  readonly pollMs?: number;
  readonly renewMs?: number;
  /** What each mail meets; all are taken unless told otherwise. */
  readonly becomes?: (id: string, call: number) => MailOutcome;
  readonly writes?: (id: string) => unknown;
  readonly waits?: (firstId: string | undefined, call: number) => unknown;
  /** What each call brings, where the two above do not say it. */
  readonly send?: (batch: readonly OutgoingMail[], call: number) => Promise<MailOutcome[]>;
  readonly find?: (batch: readonly Pick<OutgoingMail, "id">[]) => Promise<MailFinding[]>;
  readonly due?: (call: number, count: number) => LeasedMail[] | Promise<LeasedMail[]>;
};

const opened: Outbox[] = [];
afterEach(async () => {
  for (const outbox of opened.splice(0)) await outbox.stop(50);
});

function play(scene: Scene = {}) {
  const { batchMax = 50, calls = { fresh: 4, due: 1 }, gatherMs = 60_000, doubt = "ask", find, due } = scene;
  const { becomes = taken, waits } = scene;
  const send = async (batch: readonly OutgoingMail[], call: number) => {
    if (scene.send !== undefined) return scene.send(batch, call);
    await waits?.(batch[0]?.id, call);
    return batch.map(({ id }) => becomes(id, call));
  };
  const { deadlineMs = 60_000, pollMs = 60_000, renewMs = 60_000 } = scene;
  const clock = { at: now, now: () => clock.at, elapsed: () => clock.at - now };
  const told = {
    sent: [] as string[][],
    asked: [] as string[][],
    claims: [] as { count: number; lease: Lease; at: number }[],
    settled: [] as MailSettlement[],
    owners: new Set<string>(),
    renewed: [] as { ids: readonly string[]; lease: Lease }[],
    events: [] as unknown[],
    failed: [] as unknown[],
  };
  const mailer: Mailer = {
    batchMax,
    calls,
    gatherMs,
    doubt,
    send: (batch) => {
      told.sent.push(batch.map(({ id }) => id));
      return send(batch, told.sent.length);
    },
    ...(find && {
      find: (batch: readonly Pick<OutgoingMail, "id">[]) => {
        told.asked.push(batch.map(({ id }) => id));
        return find(batch);
      },
    }),
    [Symbol.asyncDispose]: async () => {},
  };
  const store = {
    clock,
    failing: false,
    /** What a commit of settlements waits for. */
    commit: Promise.resolve(),
    lost: new Set<string>(),
    mails: {
      claim: async (at: number, count: number, lease: Lease) => {
        told.claims.push({ count, lease, at });
        return (await due?.(told.claims.length, count)) ?? [];
      },
      renew: async (ids: readonly string[], lease: Lease) => {
        if (store.failing) throw new Error("unusable");
        told.renewed.push({ ids, lease });
        return new Set(ids.filter((id) => !store.lost.has(id)));
      },
      settle: async (settlements: readonly MailSettlement[], owner: string) => {
        if (store.failing) throw new Error("unusable");
        await store.commit;
        told.settled.push(...settlements);
        told.owners.add(owner);
      },
    },
  };
  const outbox = openOutbox({
    store,
    mailer,
    compose: ({ id }) => {
      scene.writes?.(id);
      if (id.includes("unwritable")) throw new TypeError("cannot be written");
      return content;
    },
    deadlineMs,
    pollMs,
    renewMs,
    events: {
      settled: (...event) => void told.events.push(event),
      missed: (...event) => void told.events.push(event),
      paused: (reason) => void told.events.push(["paused", reason]),
      resumed: () => void told.events.push("resumed"),
      failed: (error) => void told.failed.push(error),
    },
  });
  opened.push(outbox);
  return { outbox, told, clock, store };
}

const gate = () => Promise.withResolvers<void>();

describe("mails that were just stored", () => {
  test("are leased for thirty seconds to this process and settled in its name; the first is answered for", async () => {
    const { outbox, told } = play({ becomes: (id) => (id === "notice" ? later("provider") : taken(id)) });
    const lease = outbox.lease();
    expect(lease.until).toBe(now + 30_000);
    expect(await outbox.deliver(mails("receipt", "notice"))).toBe(true);
    await expect.poll(() => told.settled.length).toBe(2);
    expect(told.sent).toEqual([["receipt", "notice"]]);
    expect([...told.owners]).toEqual([lease.owner]);
    expect(told.settled.map(({ id, result }) => `${id} ${result}`)).toEqual(["receipt sent", "notice later"]);
    expect(told.events).toStrictEqual([
      ["inquiry-receipt", "sent", { id: "receipt", requestId: "r" }],
      ["inquiry-notice", "later", { id: "notice", requestId: "r", error: "provider" }],
    ]);
  });

  test("are answered for by the submitter's mail alone", async () => {
    const { outbox } = play({ becomes: (id) => (id === "receipt" ? later("provider") : taken(id)) });
    expect(await outbox.deliver(mails("receipt", "notice"))).toBe(false);
  });

  test("are answered for at once when none is the submitter's, and sent all the same", async () => {
    const held = gate();
    const { outbox, told } = play({ waits: () => held.promise });
    expect(await outbox.deliver(mails("notice"))).toBe(false);
    expect(await outbox.deliver([])).toBe(false);
    held.resolve();
    await expect.poll(() => told.settled).toMatchObject([{ id: "notice", result: "sent" }]);
  });

  test("are answered for at once after ten answers waited in vain for a provider that hangs, until it takes a mail", async () => {
    let held = gate();
    const calls = { fresh: 20, due: 1 };
    const { outbox, told } = play({ deadlineMs: 20, gatherMs: 0, calls, waits: () => held.promise });
    /** An answer that is there already comes before the event loop turns. */
    const isAnsweredAtOnce = (id: string) =>
      Promise.race([
        outbox.deliver(mails(id)).then(() => true),
        new Promise<boolean>((resolve) => void setImmediate(resolve, false)),
      ]);
    expect(await isAnsweredAtOnce("first")).toBe(false);
    await Promise.all(Array.from("bcdefghij", (id) => outbox.deliver(mails(id))));
    expect(await isAnsweredAtOnce("eleventh")).toBe(true);
    held.resolve();
    await expect.poll(() => told.settled.length).toBe(11);
    held = gate();
    expect(await isAnsweredAtOnce("later")).toBe(false);
    held.resolve();
  });

  test("share a call when they come together, and the next one when they come while it is under way", async () => {
    const held = gate();
    const { outbox, told } = play({ batchMax: 3, waits: (_, call) => call === 1 && held.promise });
    const first = [outbox.deliver(mails("a")), outbox.deliver(mails("b"))];
    await expect.poll(() => told.sent).toEqual([["a", "b"]]);
    const second = ["c", "d", "e", "f"].map((id) => outbox.deliver(mails(id)));
    await new Promise(setImmediate);
    expect(told.sent).toHaveLength(1);
    held.resolve();
    expect(await Promise.all([...first, ...second])).toEqual(Array(6).fill(true));
    expect(told.sent.slice(1)).toEqual([["c", "d", "e"], ["f"]]);
  });

  test("go out in two calls when they are many, and the first is under way while the second is written", async () => {
    const held = gate();
    const ids = Array.from({ length: 99 }, (_, n) => `m${n}`);
    const written: string[] = [];
    const whenCalled: number[] = [];
    const { outbox, told } = play({
      batchMax: 500,
      writes: (id) => written.push(id),
      waits: () => (whenCalled.push(written.length), held.promise),
    });
    const delivered = Promise.all(ids.map((id) => outbox.deliver(mails(id))));
    await expect.poll(() => told.sent).toEqual([ids.slice(0, 50), ids.slice(50)]);
    expect(whenCalled).toEqual([50, 99]);
    const next = outbox.deliver(mails("next"));
    await new Promise(setImmediate);
    expect(told.sent).toHaveLength(2);
    held.resolve();
    expect(new Set(await delivered)).toEqual(new Set([true]));
    expect(await next).toBe(true);
    expect(told.sent.slice(2)).toEqual([["next"]]);
  });

  test("do not wait for a slow call, of which there are only so many", async () => {
    const held = gate();
    const { outbox, told } = play({ gatherMs: 0, calls: { fresh: 3, due: 1 }, waits: () => held.promise });
    const answers = [];
    for (const id of ["a", "b", "c", "d", "e"]) {
      answers.push(outbox.deliver(mails(id)));
      await new Promise(setImmediate);
    }
    expect(told.sent).toEqual([["a"], ["b"], ["c"]]);
    held.resolve();
    await Promise.all(answers);
    expect(told.sent.slice(3)).toEqual([["d", "e"]]);
  });

  test("are sent while the settlements of earlier ones wait for their commit", async () => {
    const { outbox, told, store } = play();
    const commit = gate();
    store.commit = commit.promise;
    expect(await outbox.deliver(mails("a"))).toBe(true);
    expect(await outbox.deliver(mails("b"))).toBe(true);
    expect([told.sent, told.settled]).toEqual([[["a"], ["b"]], []]);
    commit.resolve();
    await expect.poll(() => told.settled.length).toBe(2);
  });

  test("are given back when their lease could end during the try, and are in no doubt", async () => {
    const { outbox, told, clock } = play();
    clock.at = now + 18_000;
    expect(await outbox.deliver(mails("a"))).toBe(false);
    expect(told.sent).toEqual([]);
    const given = { id: "a", result: "later", tried: false, denials: null };
    await expect.poll(() => told.settled).toMatchObject([given]);
    clock.at = now + 17_999;
    expect(await outbox.deliver(mails("b"))).toBe(true);
  });

  test("are not handed over while the sender pauses, but for a probe, which ends the pause when it is taken", async () => {
    let works = false;
    const { outbox, told, clock } = play({ becomes: (id) => (works ? taken(id) : later("configuration")) });
    expect(await outbox.deliver(mails("a", "b"))).toBe(false);
    const kept = { tried: false, dueAt: now + 5_000 };
    await expect.poll(() => told.settled).toMatchObject(["a", "b"].map((id) => ({ id, ...kept })));
    expect(await outbox.deliver(mails("c", "d"))).toBe(false);
    expect(told.sent).toHaveLength(1);
    works = true;
    clock.at = now + 5_000;
    expect(await outbox.deliver(mails("e", "f"))).toBe(true);
    expect(told.sent[1]).toEqual(["e"]);
    expect(await outbox.deliver(mails("g", "h"))).toBe(true);
    // What came with the probe has waited for it.
    expect(told.sent.slice(2)).toEqual([["f", "g", "h"]]);
    const turns = told.events.filter((event) => event === "resumed" || (event as string[])[0] === "paused");
    expect(turns).toEqual([["paused", "configuration"], "resumed"]);
  });

  test("that cannot be written take no other with them", async () => {
    const { outbox, told } = play();
    const answers = [outbox.deliver(mails("a")), outbox.deliver(mails("unwritable")), outbox.deliver(mails("b"))];
    expect(await Promise.all(answers)).toEqual([true, false, true]);
    expect(told.sent).toEqual([["a", "b"]]);
    await expect.poll(() => told.settled.length).toBe(3);
    const unwritten = { id: "unwritable", result: "later", error: "not written: TypeError" };
    expect(told.settled).toContainEqual(expect.objectContaining(unwritten));
    expect(told.failed).toEqual([new TypeError("cannot be written")]);
  });

  test("are answered for, whatever goes wrong", async () => {
    const { outbox, told } = play();
    expect(await outbox.deliver([null as never])).toBe(false);
    expect(told.failed).toMatchObject([expect.any(TypeError)]);
  });
});

describe("mails that meet the provider's limit", () => {
  test("are kept when it is short, sent before all others when it is over, and no try is counted", async () => {
    const { outbox, told, clock } = play({
      becomes: (id, call) => (call === 1 ? later("limit", { retryAfterMs: 20 }) : taken(id)),
    });
    const first = outbox.deliver(mails("a", "notice"));
    await expect.poll(() => told.sent.length).toBe(1);
    const second = outbox.deliver(mails("b"));
    await new Promise(setImmediate);
    expect(told.sent).toHaveLength(1);
    clock.at = now + 20;
    expect(await Promise.all([first, second])).toEqual([true, true]);
    expect(told.sent[1]).toEqual(["a", "notice", "b"]);
    await expect.poll(() => told.settled.length).toBe(3);
    expect(told.settled.every(({ result }) => result === "sent")).toBe(true);
    expect(told.events).not.toContainEqual(["paused", "limit"]);
  });

  test("leave their share to new ones: those that were due go out slowly after it", async () => {
    const { outbox, told, clock } = play({
      pollMs: 1,
      becomes: (id, call) => (call === 1 ? later("limit", { retryAfterMs: 1_000 }) : taken(id)),
      due: (call, count) => (call < 5 ? Array.from({ length: count }, (_, n) => mail(`${call}-${n}`)) : []),
    });
    outbox.start();
    await expect.poll(() => told.settled.length).toBe(50);
    clock.at = now + 1_000;
    await expect.poll(() => told.sent.length).toBe(2);
    expect(told.sent[1]).toHaveLength(1);
    expect(await outbox.deliver(mails("new"))).toBe(true);
    clock.at = now + 2_000;
    await expect.poll(() => told.sent.length).toBe(4);
    expect(told.sent[3]!.length).toBeLessThanOrEqual(20);
  });
});

describe("mails that are due", () => {
  test("are claimed until there are no more, under a lease of this process", async () => {
    const batches = [mails("a", "b"), mails("c", "d"), mails("e")];
    const { outbox, told } = play({ batchMax: 2, due: (call) => batches[call - 1] ?? [] });
    outbox.start();
    await expect.poll(() => told.settled.length).toBe(5);
    await outbox.stop(50);
    expect(told.sent).toEqual([["a", "b"], ["c", "d"], ["e"]]);
    const claim = { count: 2, at: now, lease: { owner: outbox.lease().owner, until: now + 30_000 } };
    expect(told.claims).toEqual([claim, claim, claim]);
  });

  test("are claimed when there is a call for them, and no call waits for another", async () => {
    const held = gate();
    const { outbox, told } = play({
      batchMax: 1,
      calls: { fresh: 1, due: 2 },
      waits: (id) => id === "slow" && held.promise,
      due: (call, count) => [mails("slow", "a"), mails("b"), mails("c")][call - 1]?.slice(0, count) ?? [],
    });
    outbox.start();
    await expect.poll(() => told.settled.map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(told.claims.map(({ count }) => count)).toEqual([2, 1, 1, 1]);
    held.resolve();
    await expect.poll(() => told.settled.length).toBe(4);
  });

  test("are tried one by one after a call that failed", async () => {
    const { outbox, told } = play({ pollMs: 1, becomes: () => later("provider") });
    await outbox.deliver(mails("a"));
    outbox.start();
    await expect.poll(() => told.claims.length).toBeGreaterThan(1);
    expect(told.claims[0]!.count).toBe(1);
  });

  test("are claimed as one probe while the sender pauses; one that finds no mail is given back", async () => {
    const { outbox, told, clock } = play({ pollMs: 1, becomes: () => later("configuration") });
    await outbox.deliver(mails("a", "b"));
    outbox.start();
    clock.at = now + 5_000;
    await expect.poll(() => told.claims.length).toBeGreaterThan(2);
    for (const { count } of told.claims) expect(count).toBe(1);
  });

  test("are not sent a second time by the process that has one of them in hand, or not yet recorded", async () => {
    const held = gate();
    const { outbox, told, store } = play({
      pollMs: 1,
      waits: (id) => id === "held" && held.promise,
      due: (call) => (call <= 3 ? mails("held") : []),
    });
    store.failing = true;
    expect(await outbox.deliver(mails("unwritten"))).toBe(true);
    await expect.poll(() => told.failed.length).toBe(1);
    const answer = outbox.deliver(mails("held"));
    outbox.start();
    // Each round first writes what is open, and fails.
    await expect.poll(() => told.failed.length).toBeGreaterThan(3);
    expect(told.claims).toEqual([]);
    store.failing = false;
    await expect.poll(() => told.claims.length).toBeGreaterThan(3);
    expect(told.settled).toMatchObject([{ id: "unwritten" }]);
    held.resolve();
    expect(await answer).toBe(true);
    expect(told.sent.filter(([id]) => id === "held")).toHaveLength(1);
  });

  test("are not sent by a claim that came before a settlement, which reached the store before its answer", async () => {
    const commit = gate();
    const { outbox, told, clock, store } = play({
      pollMs: 1,
      becomes: () => later("ambiguous"),
      find: async (batch) => batch.map(({ id }) => ({ result: "taken", providerId: `p-${id}` })),
      due: async (call) => {
        if (call === 1) {
          commit.resolve();
          await expect.poll(() => told.settled.length).toBe(1);
        }
        return [mails("a"), [], [mail("a", { attempts: 1, denials: 0 })]][call - 1] ?? [];
      },
    });
    store.commit = commit.promise;
    expect(await outbox.deliver(mails("a"))).toBe(false);
    // The settlement has been on its way for so long that the mail is due again.
    clock.at = now + 60_000;
    outbox.start();
    await expect.poll(() => told.settled).toMatchObject([{ result: "later", denials: 0 }, { result: "sent" }]);
    expect([told.sent, told.asked]).toEqual([[["a"]], [["a"]]]);
  });

  test("are not sent when the store has them no more, because their person was erased while they waited", async () => {
    const held = gate();
    const waits = (_: unknown, call: number) => call === 1 && held.promise;
    const { outbox, told, clock, store } = play({ calls: { fresh: 1, due: 1 }, waits });
    const first = outbox.deliver(mails("first"));
    await expect.poll(() => told.sent.length).toBe(1);
    const answers = [outbox.deliver(mails("erased")), outbox.deliver(mails("kept"))];
    store.lost.add("erased");
    clock.at = now + 2_000;
    held.resolve();
    expect(await Promise.all([first, ...answers])).toEqual([true, false, true]);
    expect(told.sent).toEqual([["first"], ["kept"]]);
  });

  test("wait in the store when it cannot be asked about them", async () => {
    const held = gate();
    const { outbox, told, clock, store } = play({ calls: { fresh: 1, due: 1 }, waits: () => held.promise });
    const first = outbox.deliver(mails("first"));
    await expect.poll(() => told.sent.length).toBe(1);
    const second = outbox.deliver(mails("second"));
    store.failing = true;
    clock.at = now + 2_000;
    held.resolve();
    expect(await Promise.all([first, second])).toEqual([true, false]);
    store.failing = false;
    await outbox.stop(50);
    expect(told.sent).toEqual([["first"]]);
    expect(told.settled).toContainEqual(expect.objectContaining({ id: "second", result: "later", tried: false }));
  });
});

describe("mails in doubt", () => {
  const doubtful = () => [0, null, 1, 2].map((denials, at) => mail("abcd"[at]!, { denials }));

  test("are asked about first; those that the provider has are settled, those denied twice are sent", async () => {
    const { outbox, told } = play({
      find: async () => [{ result: "taken", providerId: "p-a" }, { result: "absent" }],
      due: (call) => (call === 1 ? doubtful() : []),
    });
    outbox.start();
    await expect.poll(() => told.settled.length).toBe(4);
    expect(told.asked).toEqual([["a", "c"]]);
    expect(told.sent).toEqual([["b", "c", "d"]]);
    expect(told.settled[0]).toEqual({ id: "a", at: now, result: "sent", providerId: "p-a" });
  });

  test.each([
    [2, "provider"],
    [1, "mailer: no finding"],
  ])("are kept when the provider does not answer; one of %i answers tells that it works", async (answers, error) => {
    const { outbox, told } = play({
      find: async () => ([{ result: "absent" }, later("provider") as MailFinding] as const).slice(0, answers),
      due: (call) => (call === 1 ? doubtful().slice(0, 3) : []),
    });
    outbox.start();
    await expect.poll(() => told.settled.length).toBe(3);
    expect(told.sent).toEqual([["b"]]);
    expect(told.settled.slice(0, 2)).toMatchObject([
      { id: "a", result: "later", denials: 1, tried: false },
      { id: "c", result: "later", denials: 1, tried: false, error },
    ]);
  });
});

describe("leases", () => {
  /** A call that is not answered, and a mail that waits behind it. */
  function wait(scene: Scene = {}) {
    const held = gate();
    const played = play({ renewMs: 1, calls: { fresh: 1, due: 1 }, waits: () => held.promise, ...scene });
    return { ...played, held };
  }

  test("of mails that wait or are handed over are renewed before they end, also after a failure of the store", async () => {
    const { outbox, told, clock, store, held } = wait();
    const answers = [outbox.deliver(mails("sent"))];
    await expect.poll(() => told.sent.length).toBe(1);
    answers.push(outbox.deliver(mails("waiting")));
    store.failing = true;
    clock.at = now + 11_000;
    await expect.poll(() => told.failed.length).toBeGreaterThan(1);
    store.failing = false;
    for (const seconds of [11, 22, 33, 600]) {
      clock.at = now + seconds * 1000;
      const lease = { owner: outbox.lease().owner, until: clock.at + 30_000 };
      await expect.poll(() => told.renewed.at(-1)).toEqual({ ids: ["waiting", "sent"], lease });
    }
    expect(told.renewed).toHaveLength(4);
    held.resolve();
    expect(await Promise.all(answers)).toEqual([true, true]);
  });

  test("that another process has taken over are left to it", async () => {
    const { outbox, told, clock, store, held } = wait();
    const first = outbox.deliver(mails("sent"));
    await expect.poll(() => told.sent.length).toBe(1);
    const second = outbox.deliver(mails("lost"));
    store.lost.add("lost");
    clock.at = now + 60_000;
    await expect.poll(() => told.renewed.length).toBeGreaterThan(1);
    held.resolve();
    expect(await Promise.all([first, second])).toEqual([true, false]);
    expect(told.sent).toEqual([["sent"]]);
  });
});

describe("the sender learns", () => {
  test("from questions that are not answered, which are failed tries, as from mails that are not taken", async () => {
    const due = () => [mail("a", { denials: 1 })];
    const { outbox, told } = play({ pollMs: 1, find: async () => [later("provider")], due });
    outbox.start();
    await expect.poll(() => told.events).toContainEqual(["paused", "provider"]);
    expect(told.asked).toHaveLength(10);
    expect(told.settled[0]).toMatchObject({ id: "a", result: "later", denials: 1, tried: true });
    expect(told.sent).toEqual([]);
  });

  test("nothing of mails that the mailer cannot write", async () => {
    const { outbox, told, clock } = play({
      send: async () => {
        clock.at += 1_000;
        throw new TypeError("cannot be written");
      },
    });
    for (let round = 0; round < 12; round += 1) {
      const leasedUntil = clock.at + 30_000;
      expect(await outbox.deliver([mail("a", { leasedUntil }), mail("b", { leasedUntil })])).toBe(false);
    }
    expect(told.events.flat()).not.toContain("paused");
    expect(told.failed).toHaveLength(24);
  });

  test("of each mail of a batch whether there is time for it", async () => {
    const { outbox, told } = play({ batchMax: 10 });
    const answers = [outbox.deliver([mail("old", { leasedUntil: now + 12_000 })]), outbox.deliver(mails("fresh"))];
    expect(await Promise.all(answers)).toEqual([false, true]);
    expect(told.sent).toEqual([["fresh"]]);
  });
});

describe("stopping", () => {
  test.each<[Mailer["doubt"], number | null, object]>([
    ["ask", null, { result: "later", denials: 0, dueAt: now + 30_000 }],
    ["once-more", null, { result: "later", denials: 0, dueAt: now + 30 * 60_000 }],
    ["once-more", 0, { result: "in-doubt" }],
  ])("waits only so long for a call that hangs: its mail is in doubt (%s, %s)", async (doubt, denials, end) => {
    const { outbox, told } = play({ doubt, deadlineMs: 1, send: () => gate().promise as Promise<never> });
    expect(await outbox.deliver([mail("a", { denials })])).toBe(false);
    await expect.poll(() => told.sent.length).toBe(1);
    await outbox.stop(50);
    expect(told.settled).toMatchObject([{ id: "a", ...end }]);
  });

  test("records once what became of a mail, though its answer comes too late", async () => {
    const held = gate();
    const { outbox, told } = play({ waits: () => held.promise });
    const answer = outbox.deliver(mails("a"));
    await expect.poll(() => told.sent.length).toBe(1);
    await outbox.stop(50);
    held.resolve();
    expect(await answer).toBe(false);
    await new Promise(setImmediate);
    expect(told.settled).toMatchObject([{ id: "a", result: "later" }]);
  });

  test("is announced: nothing more is claimed from then on, and what is stored is still sent", async () => {
    const { outbox, told } = play({ pollMs: 1 });
    outbox.start();
    await expect.poll(() => told.claims.length).toBeGreaterThan(0);
    outbox.stopClaiming();
    const { length } = told.claims;
    expect(await outbox.deliver(mails("a"))).toBe(true);
    await outbox.stop(50);
    expect(told.claims).toHaveLength(length);
    expect(await outbox.deliver(mails("b"))).toBe(false);
    await expect.poll(() => told.settled.at(-1)).toMatchObject({ id: "b", tried: false });
    expect(told.sent).toEqual([["a"]]);
  });
});
