import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { bodyTurns } from "./body-turns.ts";

const requestOf = (client: string) => ({ client }) as unknown as IncomingMessage;
const addresses = {
  keysOf: (request: IncomingMessage) => {
    const { client } = request as unknown as { readonly client: string };
    return { rate: client, share: client };
  },
};

test("clients go by turns, and each in the order of coming", async () => {
  const awaitTurn = bodyTurns(addresses, 60_000);
  const order: string[] = [];
  const takeAs = (name: string) => awaitTurn(requestOf(name.charAt(0))).then(() => order.push(name));
  await Promise.all(["a1", "a2", "a3", "a4", "b1", "b2", "c1"].map(takeAs));
  expect(order).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
  await takeAs("c2");
  expect(order.at(-1)).toBe("c2");
});

test("a body that has waited too long is refused, and those behind it go on", async () => {
  const awaitTurn = bodyTurns(addresses, 1);
  const [first, ...others] = Array.from({ length: 20 }, () => awaitTurn(requestOf("a")));
  const ended = await Promise.allSettled([first, ...others]);
  expect(ended[0]?.status).toBe("fulfilled");
  expect(ended.at(-1)).toMatchObject({ status: "rejected", reason: { fault: "overloaded", retryAfterSeconds: 2 } });
  // This one may wait too long as well, on a busy machine.
  await expect.poll(() => awaitTurn(requestOf("b")).then(() => "begins", String)).toBe("begins");
});
