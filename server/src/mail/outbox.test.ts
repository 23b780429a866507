// The sender over a store and a mailer that are played by hand: what it hands over, to whom it answers, what it writes
// down. On a real store, with crashes and outages: test/outbox/.
import { afterEach, describe, expect, test } from "vitest";
import type { LeasedMail, MailSettlement, NewMail } from "../storage/records.ts";
import type { Lease } from "../storage/store.ts";
import type { Mailer, MailFinding, MailOutcome, OutgoingMail } from "./mailer.ts";
import { Outbox } from "./outbox.ts";

const now = 1_700_000_000_000;
const taken = (id: string): MailOutcome => ({ result: "taken", providerId: `p-${id}` });
const denied: MailOutcome = { result: "later", error: "wrong token", cause: "configuration" };
const down: MailOutcome = { result: "later", error: "down", cause: "provider" };

const mail = (id: string, more: Partial<LeasedMail> = {}): LeasedMail => ({
  id,
  kind: "inquiry-receipt",
  reference: null,
  content: {} as NewMail["content"],
  attempts: 0,
  createdAt: now,
  denials: null,
  ...more,
});
const mails = (...ids: string[]) => ids.map((id) => mail(id));

interface Scene {
  readonly batchMax?: number;
  readonly deadlineMs?: number;
  readonly stopMs?: number;
  readonly pollMs?: number;
  /** What each call brings; everything is taken unless told otherwise. */
  readonly send?: (batch: readonly OutgoingMail[], call: number) => Promise<MailOutcome[]>;
  readonly find?: (batch: readonly Pick<OutgoingMail, "id">[]) => Promise<MailFinding[]>;
  /** What each claim brings. */
  readonly due?: (call: number, count: number) => LeasedMail[];
}

const opened: Outbox[] = [];
afterEach(async () => {
  for (const outbox of opened.splice(0)) await outbox.stop();
});

function play({ batchMax = 50, deadlineMs = 60_000, stopMs = 50, pollMs = 60_000, send, find, due }: Scene = {}) {
  const clock = { at: now, now: () => clock.at };
  const told = {
    sent: [] as string[][],
    asked: [] as string[][],
    claims: [] as { count: number; lease: Lease; at: number }[],
    settled: [] as MailSettlement[],
    owners: new Set<string>(),
    released: [] as string[],
    events: [] as unknown[],
    stumbled: [] as unknown[],
  };
  const mailer: Mailer = {
    batchMax,
    send: (batch) => {
      told.sent.push(batch.map(({ id }) => id));
      return send?.(batch, told.sent.length) ?? Promise.resolve(batch.map(({ id }) => taken(id)));
    },
    ...(find === undefined
      ? {}
      : {
          find: (batch: readonly Pick<OutgoingMail, "id">[]) => {
            told.asked.push(batch.map(({ id }) => id));
            return find(batch);
          },
        }),
    [Symbol.asyncDispose]: async () => {},
  };
  const store = {
    failing: false,
    claimDueMails: async (at: number, count: number, lease: Lease) => {
      told.claims.push({ count, lease, at });
      return due?.(told.claims.length, count) ?? [];
    },
    settleMails: async (settlements: readonly MailSettlement[], owner: string) => {
      if (store.failing) throw new Error("unusable");
      told.settled.push(...settlements);
      told.owners.add(owner);
    },
    releaseMails: async (owner: string) => void told.released.push(owner),
  };
  const outbox = new Outbox({
    store,
    mailer,
    clock,
    deadlineMs,
    stopMs,
    pollMs,
    events: {
      settled: (...event) => void told.events.push(event),
      paused: (reason) => void told.events.push(["paused", reason]),
      resumed: () => void told.events.push("resumed"),
      stumbled: (error) => void told.stumbled.push(error),
    },
  });
  opened.push(outbox);
  return { outbox, told, clock, store };
}

/** A gate that a call waits at. */
const gate = () => Promise.withResolvers<void>();

describe("mails that were just stored", () => {
  test("are leased for thirty seconds to this process, settled in its name, and answered for by the first of them", async () => {
    const { outbox, told } = play({
      send: async (batch) => batch.map(({ id }) => (id === "notice" ? down : taken(id))),
    });
    const lease = outbox.lease(now);
    expect(lease.until).toBe(now + 30_000);
    expect(await outbox.deliverNow(mails("receipt", "notice"), now)).toBe(true);
    await expect.poll(() => told.settled.length).toBe(2);
    expect(told.sent).toEqual([["receipt", "notice"]]);
    expect([...told.owners]).toEqual([lease.owner]);
    expect(told.settled.map(({ id, result }) => [id, result])).toEqual([
      ["receipt", "sent"],
      ["notice", "later"],
    ]);
    expect(told.events).toStrictEqual([
      ["inquiry-receipt", "sent", { id: "receipt" }],
      ["inquiry-receipt", "later", { id: "notice", error: "down" }],
    ]);
  });

  test("are not answered for by another one than the first", async () => {
    const { outbox } = play({ send: async (batch) => batch.map(({ id }) => (id === "receipt" ? down : taken(id))) });
    expect(await outbox.deliverNow(mails("receipt", "notice"), now)).toBe(false);
  });

  test("that are none are answered at once", async () => {
    const { outbox, told } = play();
    expect(await outbox.deliverNow([], now)).toBe(false);
    expect(told.sent).toEqual([]);
  });

  test("are answered for no later than the deadline, and sent all the same", async () => {
    const held = gate();
    const { outbox, told } = play({
      deadlineMs: 5,
      send: async (batch) => {
        await held.promise;
        return batch.map(({ id }) => taken(id));
      },
    });
    expect(await outbox.deliverNow(mails("a"), now)).toBe(false);
    expect(told.settled).toEqual([]);
    held.resolve();
    await expect.poll(() => told.settled).toMatchObject([{ id: "a", result: "sent" }]);
  });

  test("share four calls at once of as many as the mailer takes", async () => {
    const held = gate();
    const { outbox, told } = play({
      batchMax: 2,
      send: async (batch) => {
        await held.promise;
        return batch.map(({ id }) => taken(id));
      },
    });
    const answers = ["a", "b", "c", "d", "e", "f", "g"].map((id) => outbox.deliverNow(mails(id), now));
    expect(told.sent).toEqual([["a"], ["b"], ["c"], ["d"]]);
    held.resolve();
    expect(await Promise.all(answers)).toEqual(answers.map(() => true));
    expect(told.sent.slice(4)).toEqual([["e", "f"], ["g"]]);
  });

  test("whose lease could end during the try are left to whoever claims them", async () => {
    const { outbox, told, clock } = play();
    clock.at = now + 18_000;
    expect(await outbox.deliverNow(mails("a"), now)).toBe(false);
    expect([told.sent, told.settled]).toEqual([[], []]);
    clock.at = now + 17_999;
    expect(await outbox.deliverNow(mails("b"), now)).toBe(true);
  });

  test("are not handed over while the sender pauses, but for a probe, which ends the pause when it is taken", async () => {
    let works = false;
    const { outbox, told, clock } = play({
      send: async (batch) => batch.map(({ id }) => (works ? taken(id) : denied)),
    });
    expect(await outbox.deliverNow(mails("a", "b"), now)).toBe(false);
    await expect
      .poll(() => told.settled)
      .toMatchObject([
        { id: "a", tried: false, dueAt: now + 5_000 },
        { id: "b", tried: false, dueAt: now + 5_000 },
      ]);
    expect(await outbox.deliverNow(mails("c", "d"), now)).toBe(false);
    expect(told.sent).toHaveLength(1);
    works = true;
    clock.at = now + 5_000;
    expect(await outbox.deliverNow(mails("e", "f"), clock.at)).toBe(true);
    expect(told.sent[1]).toEqual(["e"]);
    expect(await outbox.deliverNow(mails("g", "h"), clock.at)).toBe(true);
    // What stood behind the probe was left to whoever claims it.
    expect(told.sent.slice(2)).toEqual([["g", "h"]]);
    expect(told.events.filter((event) => event === "resumed" || (event as string[])[0] === "paused")).toEqual([
      ["paused", "wrong token"],
      "resumed",
    ]);
  });
});

describe("mails that are due", () => {
  test("are claimed until there are no more, under a lease of this process", async () => {
    const { outbox, told } = play({
      batchMax: 2,
      due: (call) => [mails("a", "b"), mails("c", "d"), mails("e")][call - 1] ?? [],
    });
    outbox.start();
    await expect.poll(() => told.settled.length).toBe(5);
    await outbox.stop();
    expect(told.sent).toEqual([["a", "b"], ["c", "d"], ["e"]]);
    expect(told.claims).toEqual(
      [1, 2, 3].map(() => ({ count: 2, at: now, lease: { owner: outbox.lease(now).owner, until: now + 30_000 } })),
    );
  });

  test("are looked for again after a failure, which is told", async () => {
    const { outbox, told } = play({
      pollMs: 1,
      due: (call) => {
        if (call === 1) throw new Error("unusable");
        return call === 2 ? mails("a") : [];
      },
    });
    outbox.start();
    await expect.poll(() => told.sent).toEqual([["a"]]);
    expect(told.stumbled).toEqual([new Error("unusable")]);
  });

  test("are tried one by one after a call that failed", async () => {
    const { outbox, told } = play({ pollMs: 1, send: async (batch) => batch.map(() => down), due: () => [] });
    await outbox.deliverNow(mails("a"), now);
    outbox.start();
    await expect.poll(() => told.claims.length).toBeGreaterThan(1);
    expect(told.claims[0]!.count).toBe(1);
  });

  test("are claimed as one probe while the sender pauses; one that finds no mail is given back", async () => {
    const { outbox, told, clock } = play({ pollMs: 1, send: async (batch) => batch.map(() => denied) });
    await outbox.deliverNow(mails("a", "b"), now);
    outbox.start();
    clock.at = now + 5_000;
    await expect.poll(() => told.claims.length).toBeGreaterThan(2);
    for (const { count } of told.claims) expect(count).toBe(1);
  });

  test("are not sent a second time by the process that has one of them in hand, or not yet written down", async () => {
    const held = gate();
    const { outbox, told, store } = play({
      pollMs: 1,
      send: async (batch) => {
        if (batch[0]?.id === "held") await held.promise;
        return batch.map(({ id }) => taken(id));
      },
      due: (call) => (call <= 3 ? mails("held") : []),
    });
    store.failing = true;
    expect(await outbox.deliverNow(mails("unwritten"), now)).toBe(true);
    await expect.poll(() => told.stumbled.length).toBe(1);
    const answer = outbox.deliverNow(mails("held"), now);
    outbox.start();
    // Each round first writes down what is open, and fails.
    await expect.poll(() => told.stumbled.length).toBeGreaterThan(3);
    expect(told.claims).toEqual([]);
    store.failing = false;
    await expect.poll(() => told.claims.length).toBeGreaterThan(3);
    expect(told.settled).toMatchObject([{ id: "unwritten" }]);
    held.resolve();
    expect(await answer).toBe(true);
    expect(told.sent.filter(([id]) => id === "held")).toHaveLength(1);
  });
});

describe("mails in doubt", () => {
  const doubtful = () => [mail("a", { denials: 0 }), mail("b"), mail("c", { denials: 1 }), mail("d", { denials: 2 })];

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
    [2, "down"],
    [1, "mailer: no finding"],
  ])("are kept when the provider does not answer; one of %i answers tells that it works", async (answers, error) => {
    const { outbox, told } = play({
      find: async () => ([{ result: "absent" }, down] as const).slice(0, answers),
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

  test("are a failed try when nobody answers at all", async () => {
    const { outbox, told } = play({
      find: async () => [down],
      due: (call) => (call === 1 ? [mail("a", { denials: 1 })] : []),
    });
    outbox.start();
    await expect.poll(() => told.settled).toMatchObject([{ id: "a", result: "later", denials: 1, tried: true }]);
    expect(told.sent).toEqual([]);
  });

  test("are sent where there is nobody to ask", async () => {
    const { outbox, told } = play({ due: (call) => (call === 1 ? doubtful() : []) });
    outbox.start();
    await expect.poll(() => told.sent).toEqual([["a", "b", "c", "d"]]);
  });
});

describe("the sender learns", () => {
  test("from questions that nobody answers, as from mails that nobody takes", async () => {
    const { outbox, told } = play({ pollMs: 1, find: async () => [down], due: () => [mail("a", { denials: 0 })] });
    outbox.start();
    await expect.poll(() => told.events).toContainEqual(["paused", "down"]);
    expect(told.asked).toHaveLength(10);
  });

  test("nothing of mails that could not be written, or handed over in time", async () => {
    const { outbox, told, clock } = play({
      send: async () => {
        clock.at += 1_000;
        throw new TypeError("cannot be written");
      },
    });
    for (let round = 0; round < 12; round += 1) {
      const at = clock.at;
      expect(await outbox.deliverNow(mails("a", "b"), at)).toBe(false);
    }
    expect(told.events.flat()).not.toContain("paused");
    expect(told.stumbled).toHaveLength(24);
    // The first half of a batch takes so long that there is no time for the other.
    const late = play({
      send: async () => {
        late.clock.at += 10_000;
        throw new TypeError("cannot be written");
      },
    });
    const answer = late.outbox.deliverNow([mail("x"), mail("y")], now);
    expect(await answer).toBe(false);
    expect(late.told.sent).toEqual([["x", "y"], ["x"]]);
    await expect.poll(() => late.told.settled.map(({ id }) => id)).toEqual(["x"]);
    expect(late.told.events.flat()).not.toContain("paused");
  });

  test("of each mail of a batch whether there is time for it", async () => {
    const { outbox, told, clock } = play({ batchMax: 10 });
    clock.at = now + 18_000;
    const [old, fresh] = [outbox.deliverNow(mails("old"), now), outbox.deliverNow(mails("fresh"), clock.at)];
    expect(await Promise.all([old, fresh])).toEqual([false, true]);
    expect(told.sent).toEqual([["fresh"]]);
  });
});

describe("stopping", () => {
  test("gives back what waits, answers for it, and leaves nothing open", async () => {
    const held = gate();
    const { outbox, told } = play({
      batchMax: 1,
      send: async (batch) => {
        await held.promise;
        return batch.map(({ id }) => taken(id));
      },
      stopMs: 60_000,
    });
    const answers = ["a", "b", "c", "d", "e"].map((id) => outbox.deliverNow(mails(id), now));
    const stopped = outbox.stop();
    expect(await answers[4]).toBe(false);
    held.resolve();
    await stopped;
    expect(await Promise.all(answers.slice(0, 4))).toEqual([true, true, true, true]);
    expect(told.sent).toEqual([["a"], ["b"], ["c"], ["d"]]);
    expect(told.settled).toHaveLength(4);
    expect(told.released).toEqual([outbox.lease(now).owner]);
  });

  test("waits no longer than it may for a call that hangs, and does not give its mail away as untouched", async () => {
    const { outbox, told } = play({ stopMs: 5, deadlineMs: 1, send: () => gate().promise as Promise<never> });
    await outbox.deliverNow(mails("a"), now);
    await outbox.stop();
    expect(told.released).toEqual([]);
  });

  test("writes down what was not written, or keeps its lease", async () => {
    const writes = play();
    writes.store.failing = true;
    await writes.outbox.deliverNow(mails("a"), now);
    await expect.poll(() => writes.told.stumbled.length).toBe(1);
    await writes.outbox.stop();
    expect(writes.told.released).toEqual([]);
    expect(writes.told.stumbled).toHaveLength(2);
    writes.store.failing = false;
    await writes.outbox.stop();
    expect(writes.told.settled).toMatchObject([{ id: "a", result: "sent" }]);
    expect(writes.told.released).toEqual([writes.outbox.lease(now).owner]);
  });

  test("is announced: nothing more is claimed from then on, and what is stored is still sent", async () => {
    const { outbox, told } = play({ pollMs: 1 });
    outbox.start();
    await expect.poll(() => told.claims.length).toBeGreaterThan(0);
    outbox.stopClaiming();
    const { length } = told.claims;
    expect(await outbox.deliverNow(mails("a"), now)).toBe(true);
    await outbox[Symbol.asyncDispose]();
    expect(told.claims).toHaveLength(length);
    expect(await Promise.race([outbox.deliverNow(mails("b"), now), Promise.resolve("waits")])).toBe("waits");
    expect(told.sent).toEqual([["a"]]);
  });
});
