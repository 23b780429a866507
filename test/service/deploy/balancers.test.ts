// The files for HAProxy, nginx and Caddy, run by the programs themselves, where they are installed.
import { describe, expect, test } from "vitest";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import {
  answers,
  breaksOff,
  check,
  hangs,
  isThere,
  startBalancer,
  startUpstream,
  type Kind,
} from "../../support/deploy/balancer.ts";

const requests = 12;
/** No server listens at this port. The system never gives one as low to a test that asks for any. */
const closedPort = 9;
const key = (number: number) => ({ "idempotency-key": `k-${number}` });
const path = "/api/marketplace/inquiry";
const upload = { "content-type": "multipart/form-data; boundary=b" };

describe.each<Kind>(["haproxy", "nginx", "caddy"])("%s", (kind) => {
  describe.skipIf(!isThere(kind))("where it is installed", () => {
    test("takes its file", () => {
      const { status, output } = check(kind);
      expect({ status, output }).toMatchObject({ status: 0, output: expect.not.stringMatching(/warn|alert/i) });
    });

    test("withholds what is not public, names the client, and has browsers come back over HTTPS", async () => {
      await using upstream = await startUpstream(answers(200));
      await using balancer = await startBalancer(kind, [upstream.port]);
      for (const hidden of ["/metrics", "/metrics?x=1", "/%6detrics", "/healthz", "/health%7A", "/readyz"]) {
        const { status, headers } = await balancer.answer(hidden, { method: "GET" });
        expect([status, headers.get("strict-transport-security")], hidden).toEqual([404, "max-age=31536000"]);
      }
      expect(upstream.seen).toEqual([]);
      expect(await balancer.ask("/openapi.json", { method: "GET" })).toBe(200);
      const { headers } = await balancer.answer(path, { headers: { "x-forwarded-for": "203.0.113.7" } });
      expect(upstream.seen.at(-1)).toEqual({ url: path, forwardedFor: "127.0.0.1" });
      expect(headers.get("strict-transport-security")).toBe("max-age=31536000");
    });

    test("logs requests without what stands in their query, also of those that fail", async () => {
      await using upstream = await startUpstream(answers(200));
      await using balancer = await startBalancer(kind, [upstream.port]);
      await using broken = await startBalancer(kind, [closedPort]);
      for (const one of [balancer, broken]) {
        for (const page of ["confirm", "unsubscribe"]) {
          for (const method of ["GET", "POST"]) await one.ask(`/newsletter/${page}?token=a-secret`, { method });
        }
        await expect
          .poll(() => one.log().match(/\/newsletter\/(?:confirm|unsubscribe)/g)?.length)
          .toBeGreaterThanOrEqual(4);
        expect(one.log()).not.toContain("a-secret");
      }
      expect(upstream.seen.map(({ url }) => url)).toContain("/newsletter/unsubscribe?token=a-secret");
    });

    test.runIf(kind !== "caddy")("sends a request that reached no process to another one", async () => {
      await using upstream = await startUpstream(answers(200));
      await using balancer = await startBalancer(kind, [closedPort, upstream.port]);
      for (let request = 0; request < requests; request += 1) expect(await balancer.ask(path)).toBe(200);
      expect(upstream.seen).toHaveLength(requests);
    });

    test.runIf(kind !== "caddy").each([
      ["refused with 503", answers(503)],
      ["lost", breaksOff],
    ])("repeats a request whose answer was %s only if it has a key", async (_name, behaviour) => {
      const ask = async (headers: (request: number) => Record<string, string>) => {
        await using failing = await startUpstream(behaviour);
        await using sound = await startUpstream(answers(200));
        await using balancer = await startBalancer(kind, [failing.port, sound.port]);
        const statuses: number[] = [];
        for (let request = 0; request < requests; request += 1) {
          statuses.push(await balancer.ask(path, { headers: headers(request) }));
        }
        const good = statuses.filter((status) => status === 200).length;
        return { good, failed: failing.seen.length, seen: failing.seen.length + sound.seen.length };
      };

      const keyed = await ask(key);
      expect(keyed).toMatchObject({ good: requests, seen: requests + keyed.failed });
      expect(keyed.failed).toBeGreaterThan(0);

      const keyless = await ask(() => ({}));
      expect(keyless).toMatchObject({ good: requests - keyless.failed, seen: requests });
      expect(keyless.failed).toBeGreaterThan(0);
    });

    test.runIf(kind === "haproxy")("lets one client begin 30 uploads a minute, and more of anything else", async () => {
      await using upstream = await startUpstream(answers(200));
      await using balancer = await startBalancer(kind, [upstream.port]);
      const statuses: number[] = [];
      for (let request = 0; request < 31; request += 1) statuses.push(await balancer.ask(path, { headers: upload }));
      expect(statuses).toEqual([...Array.from({ length: 30 }, () => 200), 429]);
      expect((await balancer.answer(path, { headers: upload })).headers.get("retry-after")).toBe("60");
      expect(await balancer.ask(path)).toBe(200);
    });

    test.runIf(kind === "haproxy")("lets one client have 100 connections", async () => {
      await using upstream = await startUpstream(answers(200));
      await using balancer = await startBalancer(kind, [upstream.port]);
      const sockets = new Set<Socket>();
      // HAProxy may still count the connection that asked whether it listens, and refuse one of these.
      const fill = async () => {
        while (sockets.size < 100) {
          const socket = connect(balancer.port, "127.0.0.1").on("error", () => {});
          sockets.add(socket.once("close", () => sockets.delete(socket)));
          await once(socket, "connect");
        }
      };
      const ask = () => balancer.ask(path).catch((error: NodeJS.ErrnoException) => error.code);
      await expect.poll(() => fill().then(ask)).toBe("ECONNRESET");
      for (const socket of [...sockets].slice(0, 2)) socket.destroy();
      await expect.poll(ask).toBe(200);
      for (const socket of sockets) socket.destroy();
    });

    test.runIf(kind === "nginx").each([
      ["8 uploads", 8, upload, {}],
      ["100 requests", 100, {}, undefined],
    ])("lets one client have %s under way", async (_name, most, headers, others) => {
      await using upstream = await startUpstream(hangs);
      await using balancer = await startBalancer(kind, [upstream.port]);
      const waiting = Array.from({ length: most }, () => balancer.ask(path, { headers }).catch(() => 0));
      await expect.poll(() => upstream.seen.length).toBe(most);
      expect(await balancer.ask(path, { headers })).toBe(429);
      if (others !== undefined) {
        waiting.push(balancer.ask(path, { headers: others }).catch(() => 0));
        await expect.poll(() => upstream.seen.length).toBe(most + 1);
      }
      await upstream[Symbol.asyncDispose]();
      await Promise.all(waiting);
    });

    test.runIf(kind === "nginx")("takes a /64 for one client, however its addresses are shortened", async () => {
      await using upstream = await startUpstream(hangs);
      await using balancer = await startBalancer(kind, [upstream.port]);
      const from = (client: string) =>
        balancer.ask(path, { headers: { ...upload, "x-test-client": client } }).catch(() => 0);
      const waiting: Promise<number>[] = [];
      for (const [network, hosts, other] of [
        ["2001:db8:1::", ["5", "6", "1:2:3:4", "f"], "2001:db8:1:1::5"],
        ["2001:db8:1:2:", ["1:2:3:4", ":5", "0:0:0:6", "a:b:c:d"], "2001:db8:1:3:1:2:3:4"],
        ["2001:db8::", ["5", "6", "1:2:3", "0:1:0"], "2001:db8:0:1::5"],
        ["1::", ["5", "6", "9:9", "9:9:9:9"], "1:1::5"],
        ["::", ["1", "2", "9:9:9", "1:2:3:4"], "0:0:0:1::1"],
      ] as const) {
        waiting.push(...Array.from({ length: 8 }, (_, index) => from(network + hosts[index % hosts.length])));
        await expect.poll(() => upstream.seen.length).toBe(waiting.length);
        expect(await from(`${network}${hosts[0]}`), network).toBe(429);
        waiting.push(from(other));
        await expect.poll(() => upstream.seen.length).toBe(waiting.length);
      }
      await upstream[Symbol.asyncDispose]();
      await Promise.all(waiting);
    });

    test.runIf(kind === "haproxy")("sends nothing to a process that says that it is not ready", async () => {
      await using ending = await startUpstream(answers(200), 503);
      await using ready = await startUpstream(answers(200));
      // Only one of the three servers: each is asked for itself.
      await using balancer = await startBalancer(kind, [ending.port, ready.port, ready.port]);
      // The second question comes after the first answer was understood.
      await ending.checked(2);
      const before = ending.seen.length;
      for (let request = 0; request < requests; request += 1) expect(await balancer.ask(path)).toBe(200);
      expect(ending.seen).toHaveLength(before);
    });
  });
});
