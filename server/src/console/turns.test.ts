import { expect, test } from "vitest";
import { exportTurns, makePacer, openTurns, readTurns } from "./turns.ts";

const here = new AbortController().signal;
const refused = { fault: "tooManyRequests", retryAfterSeconds: 1 };

function queue(turns: ReturnType<typeof openTurns>) {
  const begun: number[] = [];
  const take = async (number: number, key = "operator 1", gone = here) => {
    const turn = await turns.take(key, gone);
    begun.push(number);
    return turn;
  };
  return { begun, take };
}

test("an operator has four reads and two exports at once, and the others wait in their order", async () => {
  for (const [limits, atOnce] of [
    [readTurns, 4],
    [exportTurns, 2],
  ] as const) {
    const { begun, take } = queue(openTurns(limits));
    const taken = Array.from({ length: atOnce + 2 }, (_, number) => take(number));
    const first = await Promise.all(taken.slice(0, atOnce));
    expect(begun).toEqual(first.map((_, number) => number));
    first[0]?.[Symbol.dispose]();
    // To end twice frees no second place.
    first[0]?.[Symbol.dispose]();
    const next = await taken[atOnce];
    expect(begun.slice(atOnce)).toEqual([atOnce]);
    next?.[Symbol.dispose]();
    await taken[atOnce + 1];
    expect(begun.slice(atOnce)).toEqual([atOnce, atOnce + 1]);
  }
});

test("operators do not wait for each other", async () => {
  const { begun, take } = queue(openTurns({ ...exportTurns, atOnceMax: 1 }));
  await take(1, "operator 1");
  await take(2, "token 1");
  expect(begun).toEqual([1, 2]);
});

test("a client that goes away loses its place, and what it would have waited for goes to the next", async () => {
  const turns = openTurns({ ...readTurns, atOnceMax: 1 });
  const { begun, take } = queue(turns);
  const first = await take(1);
  const leaving = new AbortController();
  const left = expect(take(2, "operator 1", leaving.signal)).rejects.toMatchObject(refused);
  const third = take(3);
  leaving.abort();
  await left;
  first[Symbol.dispose]();
  (await third)[Symbol.dispose]();
  expect(begun).toEqual([1, 3]);
  // One that was away already does not wait.
  await take(4);
  await expect(take(5, "operator 1", leaving.signal)).rejects.toMatchObject(refused);
});

test("nothing waits behind a full queue, or for ever", async () => {
  const { take } = queue(openTurns({ atOnceMax: 1, waitingMax: 1, waitMs: 1 }));
  await take(1);
  const waiting = take(2);
  await expect(take(3)).rejects.toMatchObject(refused);
  await expect(waiting).rejects.toMatchObject(refused);
});

test("pieces of exports are made one at a time, and none while the pause after one lasts", async () => {
  const pace = makePacer();
  let making = 0;
  const order: string[] = [];
  async function* piecesOf(name: string) {
    for (let piece = 1; piece <= 3; piece += 1) {
      expect((making += 1)).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      making -= 1;
      yield `${name}${piece}`;
    }
  }
  const { signal } = new AbortController();
  const read = async (name: string) => {
    for await (const piece of pace(piecesOf(name), signal)) order.push(piece);
  };
  await Promise.all(["a", "b", "c"].map(read));
  expect(order).toEqual(["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]);
});

test("an export whose reader stops early gives its turn back, and ends what it read from", async () => {
  const pace = makePacer();
  const ended: string[] = [];
  async function* endless(name: string) {
    try {
      for (;;) yield name;
    } finally {
      ended.push(name);
    }
  }
  const { signal } = new AbortController();
  for await (const _ of pace(endless("a"), signal)) break;
  for await (const _ of pace(endless("b"), signal)) break;
  expect(ended).toEqual(["a", "b"]);
});
