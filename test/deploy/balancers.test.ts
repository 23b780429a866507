// The files for HAProxy and nginx, run by the programs themselves, where they are installed.
import { describe, expect, test } from "vitest";
import { answers, breaksOff, check, freePort, isThere, startBalancer, startUpstream, type Kind } from "./balancer.ts";

const requests = 12;
const key = (number: number) => ({ "idempotency-key": `k-${number}` });
const path = "/api/marketplace/inquiry";

describe.each<Kind>(["haproxy", "nginx"])("%s", (kind) => {
  describe.skipIf(!isThere(kind))("where it is installed", () => {
    test("takes its file", () => {
      const { status, output } = check(kind);
      expect({ status, output }).toMatchObject({ status: 0, output: expect.not.stringMatching(/warn|alert/i) });
    });

    test("withholds metrics and health from the public, however they are spelt, and nothing else", async () => {
      await using upstream = await startUpstream(answers(200));
      await using balancer = await startBalancer(kind, [upstream.port]);
      for (const hidden of ["/metrics", "/metrics?x=1", "/%6detrics", "/healthz", "/health%7A", "/readyz"]) {
        expect(await balancer.ask(hidden, { method: "GET" }), hidden).toBe(404);
      }
      expect(upstream.seen).toEqual([]);
      expect(await balancer.ask("/openapi.json", { method: "GET" })).toBe(200);
    });

    test("says who the client is, and lets no client say so itself", async () => {
      await using upstream = await startUpstream(answers(200));
      await using balancer = await startBalancer(kind, [upstream.port]);
      await balancer.ask(path, { headers: { "x-forwarded-for": "203.0.113.7" } });
      expect(upstream.seen).toEqual([{ url: path, forwardedFor: "127.0.0.1" }]);
    });

    test("sends what reached nobody to another process", async () => {
      await using upstream = await startUpstream(answers(200));
      await using balancer = await startBalancer(kind, [await freePort(), upstream.port]);
      for (let request = 0; request < requests; request += 1) expect(await balancer.ask(path)).toBe(200);
      expect(upstream.seen).toHaveLength(requests);
    });

    test.each([
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

    test.runIf(kind === "haproxy")("sends nothing to a process that says that it is not ready", async () => {
      await using ending = await startUpstream(answers(200), 503);
      await using ready = await startUpstream(answers(200));
      await using balancer = await startBalancer(kind, [ending.port, ready.port]);
      // The second question comes after the first answer was understood.
      await ending.checked(2);
      const before = ending.seen.length;
      for (let request = 0; request < requests; request += 1) expect(await balancer.ask(path)).toBe(200);
      expect(ending.seen).toHaveLength(before);
    });
  });
});
