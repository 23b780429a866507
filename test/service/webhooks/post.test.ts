// One POST to an address that others chose: what it reaches, and what it never does.
import { execFileSync, spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { expect, test, vi } from "vitest";
import { post } from "../../../server/src/webhooks/post.ts";
import { listening } from "../../support/listening.ts";
import { openReceiver } from "../../support/webhooks/receiver.ts";

const { signal } = new AbortController();
const loopback = { address: "127.0.0.1", family: 4 };
const inner = { targets: "loopback", signal } as const;

test("posts the body and the headers, and answers the status", async () => {
  await using receiver = await openReceiver();
  const answer = await post(`${receiver.url}/a?b`, '{"x":"ü"}', { "webhook-id": "1" }, inner);
  expect(answer).toEqual({ status: 204, retryAfterMs: null });
  const [{ method, path, body, headers }] = receiver.received as [(typeof receiver.received)[0]];
  expect([method, path, body]).toEqual(["POST", "/a?b", '{"x":"ü"}']);
  expect(headers).toMatchObject({ "content-type": "application/json", "content-length": "10", "webhook-id": "1" });
});

test("resolves a name once, connects to that address, and names the host", async () => {
  await using receiver = await openReceiver();
  const resolve = vi.fn(async (_name: string) => [loopback]);
  const url = `http://receiver.localhost:${receiver.port}/`;
  expect(await post(url, "{}", {}, { ...inner, resolve })).toMatchObject({ status: 204 });
  expect(resolve.mock.calls.map(([name]) => name)).toEqual(["receiver.localhost"]);
  expect(receiver.received[0]?.headers.host).toBe(`receiver.localhost:${receiver.port}`);
});

test.each([
  ["this machine", [loopback]],
  ["a private network", [{ address: "10.0.0.1", family: 4 }]],
  ["a public and an inner address", [{ address: "93.184.215.14", family: 4 }, loopback]],
  ["an address in another form", [{ address: "::ffff:127.0.0.1", family: 6 }]],
  ["nothing", []],
])("a name that resolves to %s is not connected to", async (_what, found) => {
  await using receiver = await openReceiver();
  const resolve = async () => found;
  const url = `https://rebound.example.org:${receiver.port}/`;
  expect(await post(url, "{}", {}, { targets: "public", signal, resolve })).toEqual({ failure: "address-refused" });
  expect(receiver.connections).toBe(0);
});

test("an address that is refused is neither looked up nor connected to, also one that was allowed before", async () => {
  await using receiver = await openReceiver();
  const resolve = () => Promise.reject(new Error("looked up"));
  for (const url of [receiver.url, `https://127.0.0.1:${receiver.port}`, `https://2130706433:${receiver.port}`]) {
    expect(await post(url, "{}", {}, { targets: "public", signal, resolve })).toEqual({ failure: "address-refused" });
  }
  expect(receiver.connections).toBe(0);
});

test("follows no redirect", async () => {
  await using receiver = await openReceiver();
  receiver.answer({ status: 307, headers: { location: `${receiver.url}/elsewhere` } });
  expect(await post(receiver.url, "{}", {}, inner)).toMatchObject({ status: 307 });
  expect(receiver.received).toHaveLength(1);
});

test("reads no more of an answer than a little, and what it asks for", async () => {
  await using receiver = await openReceiver();
  receiver.answer({ status: 200, body: "x".repeat(5_000_000) });
  expect(await post(receiver.url, "{}", {}, inner)).toMatchObject({ status: 200 });
  receiver.answer({ status: 503, headers: { "retry-after": "120" } }, { status: 503, headers: { "retry-after": "x" } });
  expect(await post(receiver.url, "{}", {}, inner)).toEqual({ status: 503, retryAfterMs: 120_000 });
  expect(await post(receiver.url, "{}", {}, inner)).toEqual({ status: 503, retryAfterMs: null });
});

const openBare = (bytes: string, times: number) =>
  listening(
    createServer((socket) => {
      let left = times;
      const write = () => {
        while (left > 0 && !socket.destroyed) {
          left -= 1;
          if (!socket.write(bytes)) return;
        }
      };
      socket.on("drain", write).once("data", write);
    }),
  );

const unfinished = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx";

test("a receiver whose answer is cut off after its status has answered", async () => {
  await using server = await listening(createServer((socket) => socket.once("data", () => socket.end(unfinished))));
  expect(await post(server.url, "{}", {}, inner)).toEqual({ status: 200, retryAfterMs: null });
});

test("a receiver whose answer does not end has answered, when the call is broken off", async () => {
  await using server = await openBare(unfinished, 1);
  const stopping = new AbortController();
  // Told when the status was read, just before the request is.
  const stop = () => queueMicrotask(() => stopping.abort());
  subscribe("http.client.response.finish", stop);
  const answer = await post(server.url, "{}", {}, { ...inner, signal: stopping.signal });
  unsubscribe("http.client.response.finish", stop);
  expect(answer).toEqual({ status: 200, retryAfterMs: null });
});

test("a receiver that changes the protocol has answered", async () => {
  const answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n";
  await using server = await openBare(answer, 1);
  expect(await post(server.url, "{}", {}, inner)).toEqual({ status: 101, retryAfterMs: null });
});

test("interim answers are not read for ever", async () => {
  await using server = await openBare("HTTP/1.1 102 Processing\r\n\r\n", Infinity);
  expect(await post(server.url, "{}", {}, inner)).toEqual({ failure: "connection-failed" });
});

test("a public name is asked of the name servers, which is broken off with the call", async () => {
  const stopping = new AbortController();
  const call = post("https://unknown.invalid/", "{}", {}, { targets: "public", signal: stopping.signal });
  stopping.abort();
  expect(await call).toEqual({ failure: "timeout" });
});

test("what fails is told as a code, without the address", async () => {
  expect(await post("http://127.0.0.1:9", "{}", {}, inner)).toEqual({ failure: "ECONNREFUSED" });
  const resolve = () => Promise.reject(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" }));
  const named = "https://unknown.example.org/";
  expect(await post(named, "{}", {}, { ...inner, resolve })).toEqual({ failure: "ENOTFOUND" });
});

test("a call is broken off when it takes too long or the process stops: at the look-up and at the answer", async () => {
  await using receiver = await openReceiver();
  receiver.answer(null);
  const stopping = new AbortController();
  const call = post(receiver.url, "{}", {}, { ...inner, signal: stopping.signal });
  await receiver.got(1);
  stopping.abort();
  expect(await call).toEqual({ failure: "timeout" });
  const resolve = () => Promise.withResolvers<never>().promise;
  const stopped = { ...inner, signal: AbortSignal.abort(), resolve };
  expect(await post("https://slow.example.org/", "{}", {}, stopped)).toEqual({ failure: "timeout" });
});

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

test.skipIf(!hasOpenssl)("over https the certificate is of the name, whatever the address, and checked", async () => {
  const folder = mkdtempSync(join(tmpdir(), "webhook-tls-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = "-subj /CN=receiver.example.org -addext subjectAltName=DNS:receiver.example.org";
  const words = `req -x509 -newkey rsa:2048 -nodes -days 2 -keyout ${key} -out ${cert} ${subject}`;
  execFileSync("openssl", words.split(" "), { stdio: "ignore" });
  const ca = readFileSync(cert, "utf8");
  const names: (string | false | null)[] = [];
  const server = createTlsServer({ key: readFileSync(key), cert: ca }, (request, response) => {
    names.push((request.socket as TLSSocket).servername ?? null);
    response.end();
  });
  const receiver = await listening(server);
  const { port } = receiver;
  const options = { ...inner, resolve: async () => [loopback] };
  try {
    const url = `https://receiver.example.org:${port}/`;
    expect(await post(url, "{}", {}, { ...options, ca })).toMatchObject({ status: 200 });
    expect(names).toEqual(["receiver.example.org"]);
    const other = await post(`https://other.example.org:${port}/`, "{}", {}, { ...options, ca });
    expect(other).toEqual({ failure: "ERR_TLS_CERT_ALTNAME_INVALID" });
    expect(await post(url, "{}", {}, options)).toEqual({ failure: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    expect(names).toHaveLength(1);
  } finally {
    await receiver.goAway();
    rmSync(folder, { recursive: true });
  }
});

/** A name server that knows every name but those that begin with `silent`, which it never answers. */
async function startNameServer() {
  const server = createSocket("udp4");
  let unanswered = 0;
  server.on("message", (query, from) => {
    const isSilent = query.subarray(13, 19).toString() === "silent";
    if (isSilent) unanswered += 1;
    if (isSilent) return;
    const isA = query.readUInt16BE(query.indexOf(0, 12) + 1) === 1;
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const header = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0]);
    // The name of the question, A, IN, 60 s, four bytes: an address that may not be called.
    const answer = isA ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 0, 0, 1]) : Buffer.alloc(0);
    server.send(Buffer.concat([header, question, answer]), from.port, from.address);
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  const address = `127.0.0.1:${server.address().port}`;
  return { address, unanswered: () => unanswered, [Symbol.asyncDispose]: async () => void server.close() };
}

test("names whose server is silent hold up no other look-up, and can be broken off", async () => {
  await using server = await startNameServer();
  const stop = new AbortController();
  const options = { targets: "public", signal: stop.signal, nameServers: [server.address] } as const;
  const hanging = Array.from({ length: 8 }, (_, n) => post(`https://silent-${n}.example/`, "{}", {}, options));
  await expect.poll(server.unanswered).toBeGreaterThanOrEqual(16);
  expect(await post("https://known.example/", "{}", {}, options)).toEqual({ failure: "address-refused" });
  expect(await lookup("localhost", { all: true })).not.toEqual([]);
  stop.abort();
  expect(await Promise.all(hanging)).toEqual(hanging.map(() => ({ failure: "timeout" })));
});
