// How the typed client reports what happens in one try: no connection, answers of other servers, aborts.
import { createSubmissionsClient } from "@submissions/client";
import { faults } from "@submissions/shared/faults";
import { TRPCClientError } from "@trpc/client";
import { describe, expect, test, vi } from "vitest";
import { listening } from "../../support/listening.ts";
import { startService } from "../../support/service.ts";
import { failureOf } from "../../support/client/failure-of.ts";
import { nowhere } from "../../support/client/nowhere.ts";

const subscription = { email: "reader@example.org" };

/** A client that gets the same answer to every request. */
const answeredWith = (body: string | null, init?: ResponseInit) =>
  createSubmissionsClient({ url: "http://service.test", retry: false, fetch: async () => new Response(body, init) });

test("no server that listens is a network failure", async () => {
  const client = createSubmissionsClient({ url: nowhere, retry: false });
  const error = await failureOf(client.newsletter.subscribe(subscription));
  expect(error).toMatchObject({ code: "NETWORK", status: undefined, requestId: undefined, issues: [] });
  expect(error.message).not.toMatch(/ECONN|fetch/);
  expect(error.cause).toBeInstanceOf(Error);
});

describe("an answer of another server", () => {
  test.each([
    ["a proxy's page", "<html>Bad gateway</html>", 502],
    ["an empty body", null, 204],
    ["a page where the receipt should be", "<html>Please sign in</html>", 200],
    ["other JSON", '{"hello":"world"}', 200],
    ["a list", "[]", 200],
    ["a result that is none", '{"result":null}', 200],
    ["an error of another server", '{"error":{"message":"secret","code":-1}}', 500],
    ["a receipt that is none", '{"result":{"data":"thanks"}}', 200],
    ["a refusal whose wait is none", '{"message":"m","code":"TIMEOUT","requestId":"r","retryAfterSeconds":"9"}', 503],
    ["a receipt with an error beside it", '{"result":{"data":1},"error":{}}', 200],
  ])("has its status, and its address in the cause: %s", async (_, body, status) => {
    const error = await failureOf(answeredWith(body, { status }).newsletter.subscribe(subscription));
    expect(error).toMatchObject({ code: "UNEXPECTED_RESPONSE", status, issues: [] });
    expect(error.message).toBe("The service did not answer as expected. Please try again in a moment.");
    expect(String(error.cause)).toContain(`http://service.test/trpc/newsletter.subscribe answered ${status}`);
  });
});

describe("a proxy's own refusal", () => {
  test.each([
    [413, "PAYLOAD_TOO_LARGE", faults.bodyTooLarge.message],
    [429, "TOO_MANY_REQUESTS", faults.tooManyRequests.message],
  ] as const)("has a code and words of the service, with a page or nothing: %s", async (status, code, message) => {
    for (const body of ["<html><h1>nginx</h1></html>", ""]) {
      const client = answeredWith(body, { status, headers: { "retry-after": "60" } });
      const error = await failureOf(client.newsletter.subscribe(subscription));
      expect(error).toMatchObject({ code, message, status, retryAfterSeconds: 60, mayHaveArrived: false });
      expect(String(error.cause)).toContain(`answered ${status}`);
    }
  });
});

test("a redirect that turns the submission into a GET is an unexpected answer, which names the address", async () => {
  await using service = await startService();
  await using redirecting = await listening((request, response) => {
    request.resume();
    response.writeHead(301, { location: service.url + request.url }).end();
  });
  const client = createSubmissionsClient({ url: redirecting.url, retry: false });
  const error = await failureOf(client.newsletter.subscribe(subscription));
  expect(error).toMatchObject({ code: "UNEXPECTED_RESPONSE", status: 405, requestId: expect.any(String) });
  expect(String(error.cause)).toContain(`${redirecting.url}/trpc/newsletter.subscribe answered 405`);
  expect((await service.stored()).subscribers).toEqual([]);
});

describe("a refusal", () => {
  const body = { message: "The service is restarting.", code: "SERVICE_UNAVAILABLE", requestId: "r-1" };
  const { message, ...data } = body;

  test.each([
    ["tRPC's envelope", { error: { message, code: -32603, data: { ...data, httpStatus: 503 } } }],
    ["the plain body", body],
  ])("is understood in %s", async (_, json) => {
    const client = answeredWith(JSON.stringify(json), { status: 503, headers: { "retry-after": "5" } });
    const error = await failureOf(client.newsletter.subscribe(subscription));
    expect(error).toMatchObject({ ...body, status: 503, issues: [], retryAfterSeconds: 5 });
  });

  test("says how long to wait where headers are hidden, as in a page of another origin", async () => {
    const json = { error: { message, code: -32603, data: { ...data, httpStatus: 503, retryAfterSeconds: 9 } } };
    const client = answeredWith(JSON.stringify(json), { status: 503 });
    expect((await failureOf(client.newsletter.subscribe(subscription))).retryAfterSeconds).toBe(9);
  });

  test.each([
    ["7", 7],
    ["Sat, 21 Nov 2026 12:00:30 GMT", 30],
    ["Sat, 21 Nov 2026 11:00:00 GMT", 0],
    ["soon", undefined],
    ["", undefined],
  ])("with Retry-After %j suggests to wait %j seconds", async (header, seconds) => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 21, 12), toFake: ["Date"] });
    try {
      const client = answeredWith(JSON.stringify(body), { status: 503, headers: { "retry-after": header } });
      expect((await failureOf(client.newsletter.subscribe(subscription))).retryAfterSeconds).toBe(seconds);
    } finally {
      vi.useRealTimers();
    }
  });
});

test("a content type of the caller is not sent: it would lack the boundary", async () => {
  const types: (string | null)[] = [];
  const client = createSubmissionsClient({
    url: "http://service.test",
    headers: { "Content-Type": "text/plain" },
    fetch: async (url, init) => {
      types.push(new Request(url, init).headers.get("content-type"));
      return Response.json({ result: { data: {} } });
    },
  });
  await client.newsletter.subscribe(subscription);
  await client.applications.submit({ fullName: "Ana", email: "ana@example.org", position: "Annotator" });
  expect(types).toEqual(["application/json", expect.stringMatching(/^multipart\/form-data; ?boundary=/)]);
});

describe("an abort", () => {
  test("before the call sends nothing and rejects with the signal's reason", async () => {
    const send = vi.fn<typeof fetch>();
    const client = createSubmissionsClient({ url: "http://service.test", fetch: send });
    const signal = AbortSignal.abort();
    await expect(client.newsletter.subscribe(subscription, { signal })).rejects.toBe(signal.reason);
    expect(signal.reason).toMatchObject({ name: "AbortError" });
    expect(send).not.toHaveBeenCalled();
  });

  test.each([null, "The page was left.", new TRPCClientError("Not of this call.")])(
    "with %j, which need be no error, rejects with just that",
    async (reason) => {
      const controller = new AbortController();
      const send = async () => {
        controller.abort(reason);
        return new Promise<never>((_, reject) => reject(new Error("Something underneath.")));
      };
      const client = createSubmissionsClient({ url: "http://service.test", fetch: send });
      const call = client.newsletter.subscribe(subscription, { signal: controller.signal });
      await expect(call).rejects.toBe(reason);
    },
  );

  test("on the way ends the request and rejects with the signal's reason", async () => {
    const gone = Promise.withResolvers<void>();
    const controller = new AbortController();
    const reason = new DOMException("The page was left.", "AbortError");
    await using silent = await listening((request) => {
      request.on("error", () => {}).once("close", () => gone.resolve());
      controller.abort(reason);
    });
    const form = { fullName: "Ana", email: "ana@example.org", position: "Annotator", resumeFile: new Blob(["x"]) };
    const { signal } = controller;
    await expect(createSubmissionsClient(silent).applications.submit(form, { signal })).rejects.toBe(reason);
    await gone.promise;
  });

  test("by a time-out rejects with a TimeoutError", async () => {
    await using silent = await listening(() => {});
    const signal = AbortSignal.timeout(50);
    const call = createSubmissionsClient(silent).newsletter.subscribe(subscription, { signal });
    await expect(call).rejects.toMatchObject({ name: "TimeoutError" });
  });

  test("after the headers of a refusal does not hide the refusal", async () => {
    const controller = new AbortController();
    const response = new Response(null, { status: 400 });
    response.text = async () => {
      controller.abort();
      return "{}";
    };
    const client = createSubmissionsClient({ url: "http://service.test", fetch: async () => response });
    const call = client.newsletter.subscribe(subscription, { signal: controller.signal });
    expect(await failureOf(call)).toMatchObject({ code: "UNEXPECTED_RESPONSE", status: 400 });
  });
});

describe("a mistake of the calling program", () => {
  test.each(["a.example", "/", "ftp://a.example", "https://a.example/?a=1", "https://a.example/#a"])(
    "is found before anything is sent, and named: url %j",
    (url) => {
      const creating = () => createSubmissionsClient({ url });
      expect(creating).toThrow(TypeError);
      expect(creating).toThrow(JSON.stringify(url));
    },
  );

  test("is found before anything is sent: a malformed header, no tries, a key that is none", async () => {
    for (const wrong of [{ headers: { "not a header": "x" } }, { retry: { tries: 0 } }])
      expect(() => createSubmissionsClient({ url: "http://service.test", ...wrong })).toThrow(TypeError);
    const calls = [{ idempotencyKey: "ä" }, { retry: { tries: 0 } }];
    for (const options of calls)
      await expect(answeredWith("{}").newsletter.subscribe(subscription, options)).rejects.toThrow(TypeError);
  });

  test("is no failure of the submission: fields that cannot be written as JSON", async () => {
    const impossible = { email: 1n } as unknown as typeof subscription;
    await expect(answeredWith("{}").newsletter.subscribe(impossible)).rejects.toBeInstanceOf(TypeError);
  });
});

describe("the stack of a failure", () => {
  async function signUp(client: ReturnType<typeof answeredWith>): Promise<unknown> {
    return client.newsletter.subscribe(subscription);
  }

  test.each([
    ["a refusal", answeredWith("{}", { status: 400 })],
    ["no answer", createSubmissionsClient({ url: nowhere, retry: false })],
  ])("leads to the caller: %s", async (_, client) => {
    const { stack, name, message } = await failureOf(signUp(client));
    expect(stack).toMatch(new RegExp(`^${name}: ${message}`));
    expect(stack).toMatch(/at .*signUp.*transport\.test\.ts/);
  });
});
