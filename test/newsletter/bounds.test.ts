// What one client may ask of the pages: how many links it follows, and how long its forms take.
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { json, rest } from "../support/doors.ts";
import { startService } from "../support/service.ts";
import { open } from "./reader.ts";

test("links are followed ten times as often as submissions are taken, by a count of their own", async () => {
  await using service = await startService({ env: { RATE_LIMIT_MAX: "1", RATE_LIMIT_WINDOW_SECONDS: "86400" } });
  const link = (purpose: string) => `${service.url}/newsletter/${purpose}?token=${"A".repeat(43)}`;
  for (const purpose of ["confirm", "unsubscribe"]) {
    for (let followed = 0; followed < 5; followed += 1) {
      expect((await open(link(purpose), { method: "POST" })).status).toBe(404);
      expect((await open(link(purpose))).status).toBe(404);
    }
  }
  for (const purpose of ["confirm", "unsubscribe"]) {
    const { status, headers, text } = await open(link(purpose), { method: "POST" });
    expect([status, headers.get("content-type")]).toEqual([429, "text/html; charset=utf-8"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(text).toContain("<h1>That did not work</h1>");
  }
  // Looking is free, and so are submissions.
  expect((await open(link("confirm"))).status).toBe(404);
  expect((await rest.send(service, "newsletter.subscribe", json({ email: "a@example.org" }))).status).toBe(200);
});

test.each(["application/x-www-form-urlencoded", "multipart/form-data; boundary=b"])(
  "a form (%s) that does not come to its end is answered 408 and cut",
  async (contentType) => {
    await using service = await startService();
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk.toString("latin1")));
    socket.on("error", () => {});
    socket.write(
      `POST /newsletter/unsubscribe HTTP/1.1\r\nHost: x\r\nContent-Type: ${contentType}\r\n` +
        "Content-Length: 100\r\n\r\ntoken=",
    );
    await new Promise((resolve) => socket.on("close", resolve));
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toMatch(/^connection: close\r$/im);
    expect(answer).toContain("<h1>That did not work</h1>");
  },
);
