import fastify from "fastify";
import { expect, test } from "vitest";
import { ClientAddresses } from "../gate/client-address.ts";
import { httpLimits } from "../limits.ts";
import { bodyTurns } from "./body-turns.ts";
import { takeJson, takeUrlencoded } from "./content-type.ts";

const addresses = new ClientAddresses(0);

test.each([
  ["application/json", JSON.stringify({ text: "x".repeat(60_000) })],
  ["application/x-www-form-urlencoded", `text=${"x".repeat(200_000)}`],
])("of large bodies that arrive together (%s), one is parsed in a turn of the event loop", async (type, payload) => {
  await using app = fastify();
  const bodies = bodyTurns(addresses, httpLimits.bodyTurnMsMax);
  takeJson(app, bodies);
  takeUrlencoded(app, bodies);
  let turn = 0;
  const turns: number[] = [];
  app.post("/", async () => {
    turns.push(turn);
    return {};
  });
  await app.ready();
  let counter = setImmediate(function count() {
    turn += 1;
    counter = setImmediate(count);
  });
  const headers = { "content-type": type };
  await Promise.all(Array.from({ length: 8 }, () => app.inject({ method: "POST", url: "/", headers, payload })));
  clearImmediate(counter);
  expect(new Set(turns).size).toBe(8);
});
