// A download is not cut while its rows are looked for.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, test } from "vitest";
import { staysWhileSearching } from "./send-downloads.ts";

/** A server that cuts connections on which nothing moves for 20 ms, and the response to its one request. */
async function openDownload() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  // Not before: on a busy machine the request itself may take longer.
  response.socket!.setTimeout(20);
  staysWhileSearching(response);
  const close = async () => {
    client.destroy();
    server.close();
    await once(server, "close");
  };
  return { client, response, [Symbol.asyncDispose]: close };
}

test("stays open while nothing is found", async () => {
  await using download = await openDownload();
  const { client, response } = download;
  const read = client.setEncoding("utf8").toArray() as Promise<string[]>;
  response.write("header\r\n");
  await once(response, "timeout");
  response.end("row\r\n");
  expect((await read).join("")).toContain("row");
});

test("is cut when its client reads nothing", async () => {
  await using download = await openDownload();
  const { client, response } = download;
  client.pause();
  response.write(Buffer.alloc(64 * 1024 * 1024));
  await once(response, "close");
  expect(response.writableFinished).toBe(false);
});
