import { once } from "node:events";
import { connect, type AddressInfo } from "node:net";
import Fastify from "fastify";
import { afterEach, expect, test, vi } from "vitest";
import { createLog } from "../../observe/log.ts";
import { createMetrics } from "../../observe/metrics.ts";
import { keepConnections } from "../body/incoming-body.ts";
import { refuse } from "../fault-reply.ts";
import { beginExchanges } from "../exchange.ts";
import { Observer } from "../observed-requests.ts";
import { httpLimits } from "../limits.ts";
import { ClientAddresses } from "./client-address.ts";
import { Draining } from "./draining.ts";
import { Traffic } from "./traffic.ts";

const observer = new Observer({
  log: createLog("silent"),
  metrics: createMetrics(),
  traces: null,
  procedures: new Set(),
});

afterEach(() => void vi.useRealTimers());

/** A server that holds its answers back when it is told to, and a connection to it. */
async function open() {
  const traffic = new Traffic(httpLimits, new ClientAddresses(0), () => {});
  const app = Fastify();
  traffic.watch(app.server);
  app.server.prependListener("request", (request, response) => traffic.enter(request, response, () => {}));
  beginExchanges(app, observer);
  app.setErrorHandler((error, request, reply) => refuse(request, reply, error));
  const draining = new Draining();
  draining.guard(app, traffic);
  keepConnections(app);
  app.post("/", () => "");
  let held = Promise.withResolvers<string>();
  held.resolve("");
  for (const url of ["/", "/healthz", "/readyz"]) app.get(url, () => held.promise);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  const hold = () => (held = Promise.withResolvers());
  return { app, traffic, draining, socket, hold };
}

const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

test("a service that takes nothing new still answers its health paths, whatever their query", async () => {
  const { app, draining } = await open();
  draining.refusing = true;
  const { statusCode, headers } = await app.inject("/");
  expect([statusCode, headers["retry-after"]]).toEqual([503, "5"]);
  for (const url of ["/healthz", "/healthz?from=balancer", "/readyz", "/readyz?from=balancer"])
    expect((await app.inject(url)).statusCode, url).toBe(200);
  await app.close();
});

test("a connection stays open until draining begins, and then ends with the last of its answers", async () => {
  const { app, draining, traffic, socket, hold } = await open();
  let answers = "";
  socket.on("data", (bytes) => (answers += String(bytes)));
  socket.write(get);
  await once(socket, "data");
  const held = hold();
  socket.write(get.repeat(3));
  await expect.poll(() => traffic.requests).toBe(3);
  draining.started = true;
  held.resolve("");
  await once(socket, "close");
  expect(answers.match(/(?<=^connection: ).*/gim)).toEqual(["keep-alive", "keep-alive", "keep-alive", "close"]);
  await app.close();
});

test("a body that is refused ends its connection only where draining has begun", async () => {
  const { app, draining, socket } = await open();
  const refused = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{";
  const connectionOf = async () => {
    socket.write(refused);
    return /^connection: (.*)\r$/im.exec(String(await once(socket, "data")))?.[1];
  };
  expect(await connectionOf()).toBe("keep-alive");
  draining.started = true;
  expect(await connectionOf()).toBe("close");
  await once(socket, "close");
  await app.close();
});

test("what is unanswered 4.5 s after closing began is cut", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const { app, traffic, socket, hold } = await open();
  hold();
  socket.write(get);
  await expect.poll(() => traffic.requests).toBe(1);
  const closed = app.close();
  await expect.poll(() => app.server.listening).toBe(false);
  vi.advanceTimersByTime(4_500);
  await closed;
});
