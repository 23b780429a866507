import { EventEmitter } from "node:events";
import type { Server, ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { httpLimits } from "../limits.ts";
import { cutSlowSenders, thenDiscard } from "./incoming-body.ts";

const faked = ["performance", "setInterval", "clearInterval", "setTimeout", "clearTimeout"] as const;
beforeEach(() => void vi.useFakeTimers({ toFake: [...faked] }));
afterEach(() => void vi.useRealTimers());

const limits = { ...httpLimits, checkMs: 1_000, bodyBytesPerSecondMin: 8_000, bodyWindowMs: 5_000 };

function sender() {
  const answers: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    bytesRead: 300,
    writable: true,
    end: (answer: string) => answers.push(answer),
    destroy: () => {},
  });
  const body = { unpipe: () => {}, resume: () => {} };
  const req = Object.assign(new EventEmitter(), body, { complete: false, readableLength: 0, socket, url: "/" });
  return { req, socket, answers, response: { req } as unknown as ServerResponse };
}

function watching(...senders: readonly ReturnType<typeof sender>[]) {
  const server = new EventEmitter() as Server;
  const traffic = {
    lastAnswers: () => senders.map(({ response }) => response),
    answersOn: (socket: unknown) => senders.filter((one) => one.socket === socket).map(({ response }) => response),
    end: () => true,
    endWith: () => {},
  };
  cutSlowSenders(server, { traffic, limits, observer: { cut() {}, neverBegun() {} } });
  return server;
}

/** Lets seconds pass; `send` says how many bytes come in each. */
function pass(seconds: number, send: () => void): void {
  for (let second = 0; second < seconds; second += 1) {
    send();
    vi.advanceTimersByTime(1_000);
  }
}

test("a body slower than 8 KB/s is cut with 408 after its window, a faster one is not, however long it takes", () => {
  const [slow, fast] = [sender(), sender()];
  watching(slow, fast);
  pass(5, () => {
    slow.socket.bytesRead += 7_900;
    fast.socket.bytesRead += 8_000;
  });
  expect(slow.answers).toEqual([]);
  pass(1, () => {
    slow.socket.bytesRead += 7_900;
    fast.socket.bytesRead += 8_000;
  });
  expect(slow.answers).toEqual([expect.stringMatching(/^HTTP\/1\.1 408 Request Timeout\r\n/)]);
  // 5 MiB.
  pass(656, () => (fast.socket.bytesRead += 8_000));
  expect(fast.answers).toEqual([]);
});

test.each([
  ["stops", 0],
  ["goes on in a trickle", 1_000],
])("a client that was fast and then %s is cut a window later, whatever it sent before", (_, bytes) => {
  const client = sender();
  watching(client);
  pass(10, () => (client.socket.bytesRead += 500_000));
  pass(4, () => (client.socket.bytesRead += bytes));
  expect(client.answers).toEqual([]);
  pass(1, () => (client.socket.bytesRead += bytes));
  expect(client.answers).toHaveLength(1);
});

test("a client that pauses for less than a window and makes up for it is not cut", () => {
  const client = sender();
  watching(client);
  for (let time = 0; time < 20; time += 1) {
    pass(3, () => {});
    pass(1, () => (client.socket.bytesRead += 50_000));
  }
  expect(client.answers).toEqual([]);
});

test("time in which this process does not read does not count", () => {
  const client = sender();
  watching(client);
  client.req.readableLength = 65_536;
  pass(20, () => {});
  expect(client.answers).toEqual([]);
});

test("time in which this process stood still does not count", () => {
  const client = sender();
  watching(client);
  pass(2, () => (client.socket.bytesRead += 8_000));
  // Its timers come late, and before what was sent meanwhile is read.
  const now = performance.now.bind(performance);
  using _late = vi.spyOn(performance, "now").mockImplementation(() => now() + 20_000);
  pass(1, () => {});
  pass(20, () => (client.socket.bytesRead += 8_000));
  expect(client.answers).toEqual([]);
});

test("a body that is complete is not looked at, and nothing is once the server has closed", () => {
  const [whole, rest] = [sender(), sender()];
  whole.req.complete = true;
  const server = watching(whole, rest);
  pass(3, () => {});
  server.emit("close");
  expect(vi.getTimerCount()).toBe(0);
  pass(20, () => {});
  expect([...whole.answers, ...rest.answers]).toEqual([]);
});

/** An answer that has begun, and whether the rest of it has come. */
async function answering(body: PassThrough) {
  const answer = thenDiscard("refused", body, { drainBytesMax: 10, drainMsMax: 10_000 }, 300);
  expect(await answer.next()).toEqual({ done: false, value: "refuse" });
  let rest: string | undefined;
  void answer.next().then(({ value }) => (rest = value));
  return async () => {
    await turn();
    await turn();
    return rest;
  };
}

test("the last byte of an answer waits for the rest of a body that comes", async () => {
  const body = new PassThrough();
  const rest = await answering(body);
  for (const piece of ["ab", "cd", "ef"]) {
    body.write(piece);
    expect(await rest()).toBeUndefined();
    vi.advanceTimersByTime(299);
  }
  body.end();
  expect(await rest()).toBe("d");
});

test("it does not wait for a client that waits itself, sends too much, or went away", async () => {
  const waiting = await answering(new PassThrough());
  vi.advanceTimersByTime(300);
  expect(await waiting()).toBe("d");

  const large = new PassThrough();
  const tooLarge = await answering(large);
  large.write("eleven byte");
  expect(await tooLarge()).toBe("d");
  // A client that does not read either would otherwise send on and on.
  expect(large.isPaused()).toBe(true);

  const gone = new PassThrough();
  const left = await answering(gone);
  gone.destroy();
  expect(await left()).toBe("d");
});
