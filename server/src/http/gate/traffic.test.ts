import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { type HttpLimits, httpLimits } from "../limits.ts";
import { ClientAddresses, type TrustedProxies } from "./client-address.ts";
import { Traffic } from "./traffic.ts";

interface Options {
  readonly limits?: Partial<HttpLimits>;
  readonly trusted?: TrustedProxies;
  readonly answer?: (response: ServerResponse, request: IncomingMessage) => void;
}

async function open({ limits = {}, trusted = 0, answer = () => {} }: Options = {}) {
  const traffic = new Traffic({ ...httpLimits, ...limits }, new ClientAddresses(trusted), (now) => uploads.push(now));
  const uploads: number[] = [];
  const seen: { readonly url: string | undefined; readonly isTooMuch: boolean; readonly isUpload: boolean | null }[] =
    [];
  const server = createServer((incoming, outgoing) =>
    traffic.enter(incoming, outgoing, (request, response) => {
      const isUpload = request.url === "/upload" ? traffic.takeUpload(request, response) : null;
      seen.push({ url: request.url, isTooMuch: traffic.isTooMuch(request), isUpload });
      answer(response, request);
    }),
  );
  traffic.watch(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = async (localAddress = "127.0.0.1") => {
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    socket.on("error", () => {});
    await once(socket, "connect");
    return socket;
  };
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { traffic, uploads, seen, client, [Symbol.asyncDispose]: close };
}

const get = (times = 1, path = "/", more = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`.repeat(times);
const closed = (socket: Socket) => new Promise((resolve) => socket.on("close", resolve).resume());

describe("requests ahead of their answers", () => {
  test("are counted up to the limit; one more cuts the connection, and those behind it are not run", async () => {
    await using service = await open({ limits: { requestsPerConnectionMax: 32 } });
    const socket = await service.client();
    socket.write(get(2_000));
    await closed(socket);
    expect(service.seen).toHaveLength(32);
    await expect.poll(() => service.traffic.requests).toBe(0);
  });

  test("are not run behind the end of their connection", async () => {
    await using service = await open({ answer: (response) => response.req.socket.end() });
    const socket = await service.client();
    socket.write(get(2));
    await closed(socket);
    expect(service.seen).toHaveLength(1);
    await expect.poll(() => service.traffic.requests).toBe(0);
  });

  test("are not taken behind the last answer of their connection, and cut it when they are too many", async () => {
    const limits = { requestsPerConnectionMax: 8 };
    await using service = await open({ limits, answer: (response) => service.traffic.endWith(response) });
    const socket = await service.client();
    socket.write(get(8));
    await expect.poll(() => service.seen.length).toBe(1);
    socket.write(get());
    await closed(socket);
    expect(service.seen).toHaveLength(1);
    await expect.poll(() => service.traffic.requests).toBe(0);
  });

  test("are no longer counted once they are answered", async () => {
    const limits = { requestsPerConnectionMax: 2 };
    await using service = await open({ limits, answer: (response) => response.end("x") });
    const socket = await service.client();
    let answers = 0;
    socket.on("data", (bytes: Buffer) => (answers += bytes.toString().split("HTTP/1.1 200").length - 1));
    for (let sent = 1; sent <= 10; sent += 1) {
      socket.write(get());
      await expect.poll(() => answers).toBe(sent);
    }
    expect(service.seen).toHaveLength(10);
  });
});

test("a connection too many of one client is closed, others are taken, and a closed one makes room", async () => {
  await using service = await open({ limits: { connectionsPerClientMax: 2 } });
  const held = [await service.client(), await service.client()];
  for (const socket of held) socket.write(get());
  await expect.poll(() => service.seen.length).toBe(2);
  const tooMany = await service.client();
  await closed(tooMany);
  const other = await service.client("127.0.0.2");
  other.write(get());
  await expect.poll(() => service.seen.length).toBe(3);
  held[0]!.destroy();
  await expect.poll(() => service.traffic.requests).toBe(2);
  const again = await service.client();
  again.write(get());
  await expect.poll(() => service.seen.length).toBe(4);
});

test("requests of one client are too many before all are, and the connections of a proxy have no such limit", async () => {
  await using service = await open({ limits: { requestsPerClientMax: 2, requestsMax: 4 } });
  const [one, other] = [await service.client(), await service.client("127.0.0.2")];
  one.write(get(3));
  await expect.poll(() => service.seen.map(({ isTooMuch }) => isTooMuch)).toEqual([false, false, true]);
  other.write(get(2));
  await expect.poll(() => service.seen.slice(3).map(({ isTooMuch }) => isTooMuch)).toEqual([false, true]);

  await using behind = await open({ limits: { requestsPerClientMax: 2 }, trusted: 1 });
  (await behind.client()).write(get(3));
  await expect.poll(() => behind.seen.map(({ isTooMuch }) => isTooMuch)).toEqual([false, false, false]);
});

test("requests of one client that arrive at once are run up to the limit, and the connections of a proxy have no such limit", async () => {
  const answer = (response: ServerResponse) => response.end();
  await using service = await open({ limits: { requestsPerClientTurnMax: 3 }, answer });
  const socket = await service.client();
  socket.write(get(10));
  await closed(socket);
  expect(service.seen).toHaveLength(3);
  const again = await service.client();
  again.write(get(3));
  await expect.poll(() => service.seen.length).toBe(6);

  const trusted = 1;
  await using behind = await open({ limits: { requestsPerClientTurnMax: 3 }, trusted, answer });
  (await behind.client()).write(get(10));
  await expect.poll(() => behind.seen.length).toBe(10);
});

test("many requests of one client begin in several turns, and those of others come in between", async () => {
  const begun: string[] = [];
  const others: Socket[] = [];
  const answer = (response: ServerResponse, { url = "" }: IncomingMessage) => {
    begun.push(url);
    if (begun.length === 1) others[0]!.write(get(1, "/other"));
    response.end();
  };
  await using service = await open({ limits: { requestsPerClientBegunMax: 1 }, answer });
  others.push(await service.client("127.0.0.2"));
  (await service.client()).write(get(30, "/many"));
  await expect.poll(() => begun.length).toBe(31);
  expect(begun.indexOf("/other")).toBeLessThan(30);
});

test("requests of one client that wait for their turn are not too many for others", async () => {
  const others: Socket[] = [];
  const answer = (response: ServerResponse, { url }: IncomingMessage) => {
    if (url === "/other") return;
    others.pop()?.write(get(1, "/other"));
    response.end();
  };
  await using service = await open({ limits: { requestsPerClientBegunMax: 1, requestsMax: 3 }, answer });
  others.push(await service.client("127.0.0.2"));
  (await service.client()).write(get(30, "/many"));
  await expect.poll(() => service.seen.length).toBe(31);
  const { isTooMuch } = service.seen.find(({ url }) => url === "/other")!;
  expect(isTooMuch).toBe(false);
});

test("what waits for its turn does not begin when its connection is gone", async () => {
  const answer = (_: ServerResponse, { socket }: IncomingMessage) => {
    if (service.seen.length === 3) socket.destroy();
  };
  await using service = await open({ limits: { requestsPerClientBegunMax: 2 }, answer });
  const socket = await service.client();
  socket.write(get(20));
  await closed(socket);
  await expect.poll(() => service.traffic.requests).toBe(0);
  // Its turns are over.
  const again = await service.client();
  again.write(get(1));
  await expect.poll(() => service.seen.length).toBe(4);
});

test("what waits for its turn behind the last answer of its connection does not begin", async () => {
  const last = Promise.withResolvers<ServerResponse>();
  const answer = (response: ServerResponse, { url }: IncomingMessage) => {
    if (url !== "/last") response.end();
    else {
      service.traffic.endWith(response);
      last.resolve(response);
    }
  };
  await using service = await open({ limits: { requestsPerClientBegunMax: 1 }, answer });
  const [socket, other] = [await service.client(), await service.client()];
  socket.write(get(1) + get(1, "/last") + get(1));
  const held = await last.promise;
  // It comes behind all of them.
  other.write(get());
  await expect.poll(() => service.seen.length).toBe(3);
  held.end();
  await closed(socket);
  expect(service.seen).toHaveLength(3);
  await expect.poll(() => service.traffic.requests).toBe(0);
});

test("uploads have slots in all and for each client, also behind a proxy and for a whole /56", async () => {
  const limits = { uploadsMax: 4, uploadsPerClientMax: 2 };
  await using service = await open({ limits, trusted: 1 });
  const sockets: Socket[] = [];
  const upload = async (address: string) => {
    const socket = await service.client();
    sockets.push(socket);
    const before = service.seen.length;
    socket.write(get(1, "/upload", `X-Forwarded-For: ${address}\r\n`));
    await expect.poll(() => service.seen.length).toBe(before + 1);
    return service.seen.at(-1)?.isUpload;
  };
  expect(await upload("2001:db8:0:1::1")).toBe(true);
  expect(await upload("2001:db8:0:2::1")).toBe(true);
  expect(await upload("2001:db8:0:3::1")).toBe(false);
  expect(await upload("192.0.2.1")).toBe(true);
  expect(await upload("192.0.2.2")).toBe(true);
  expect(await upload("192.0.2.3")).toBe(false);
  sockets[0]!.destroy();
  await expect.poll(() => service.uploads.at(-1)).toBe(3);
  expect(await upload("2001:db8:0:3::1")).toBe(true);
  expect(service.uploads).toEqual([1, 2, 3, 4, 3, 4]);
});
