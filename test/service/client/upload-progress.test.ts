// An application whose upload is measured: sent by other means, and all that is promised of the client holds as before.
import { readFile } from "node:fs/promises";
import { createSubmissionsClient, type UploadProgress } from "@submissions/client";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { buildClient } from "../../../client/src/sdk/build-client.ts";
import { applicant, pdf } from "../../support/doors.ts";
import { behindProxy, type Mishap } from "../../support/flaky-proxy.ts";
import { startService } from "../../support/service.ts";
import { failureOf } from "../../support/client/failure-of.ts";
import { nowhere } from "../../support/client/nowhere.ts";
import { testClock } from "../../support/client/test-clock.ts";
import { XhrStandIn } from "../../support/client/xhr-stand-in.ts";

beforeEach(() => {
  XhrStandIn.made = 0;
  vi.stubGlobal("XMLHttpRequest", XhrStandIn);
});
afterEach(() => vi.unstubAllGlobals());

function watched() {
  const seen: UploadProgress[] = [];
  return { seen, onUploadProgress: (progress: UploadProgress) => void seen.push(progress) };
}

test("tells how far it has come, up to the whole form, and the resume arrives byte for byte", async () => {
  await using it = await behindProxy();
  const resumeFile = pdf("cv.pdf", 200_000);
  const { seen, onUploadProgress } = watched();
  const client = buildClient({ url: it.proxy.url, headers: { "x-trace": "abc" } }, testClock());
  const { applicationId } = await client.applications.submit({ ...applicant, resumeFile }, { onUploadProgress });
  expect((await it.service.stored()).applications).toMatchObject([{ reference: applicationId }]);
  const [kept = ""] = await it.service.files("resumes");
  expect(await readFile(kept)).toEqual(Buffer.from(await resumeFile.arrayBuffer()));

  const total = it.proxy.requests[0]!.body.length;
  expect(seen.length).toBeGreaterThan(1);
  expect(seen.map(({ loaded }) => loaded)).toEqual(seen.map(({ loaded }) => loaded).toSorted((a, b) => a - b));
  expect(seen.at(-1)).toEqual({ loaded: total, total });
  expect(it.proxy.requests[0]!.headers).toMatchObject({ "x-trace": "abc", "idempotency-key": expect.any(String) });
  expect(XhrStandIn.made).toBe(1);
});

describe("is sent again under its key, from the beginning", () => {
  test.each<[Mishap, number]>([
    ["lose request", 500],
    ["lose answer", 500],
    ["cut answer", 500],
    [{ status: 503, headers: { "retry-after": "5" } }, 5_500],
  ])("after %j", async (mishap, waitMs) => {
    await using it = await behindProxy(mishap);
    const clock = testClock();
    const { seen, onUploadProgress } = watched();
    const client = buildClient(it.proxy, clock);
    const application = { ...applicant, resumeFile: pdf() };
    const { applicationId } = await client.applications.submit(application, { onUploadProgress });
    expect((await it.service.stored()).applications).toMatchObject([{ reference: applicationId }]);
    expect(clock.waits).toEqual([waitMs]);
    expect(XhrStandIn.made).toBe(2);
    expect(new Set(it.proxy.requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
    expect(seen.filter(({ loaded, total }) => loaded === total)).toHaveLength(2);
  });
});

describe("fails as it does without being measured", () => {
  test.each([
    ["a resume of another kind", { ...applicant, resumeFile: new File(["GIF89a"], "me.pdf") }],
    ["fields that are wrong", { ...applicant, email: "nobody" }],
  ])("for %s", async (_, application) => {
    await using service = await startService();
    const submit = (options: object) =>
      failureOf(createSubmissionsClient(service).applications.submit(application, options));
    const [measured, plain] = [await submit(watched()), await submit({})];
    const { code, status, message, issues, mayHaveArrived } = plain;
    expect(measured).toMatchObject({ code, status, message, issues, mayHaveArrived });
    expect(measured).toMatchObject({ requestId: expect.any(String), idempotencyKey: expect.any(String) });
    expect((await service.stored()).applications).toEqual([]);
    expect(await service.files("resumes")).toEqual([]);
  });

  test("when no server listens", async () => {
    const client = createSubmissionsClient({ url: nowhere, retry: false });
    const error = await failureOf(client.applications.submit(applicant, watched()));
    expect(error).toMatchObject({ code: "NETWORK", status: undefined, mayHaveArrived: true });
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  test("when it is aborted on the way, and before", async () => {
    await using it = await behindProxy("hang");
    const controller = new AbortController();
    const { signal } = controller;
    const options = { ...watched(), signal };
    const call = createSubmissionsClient(it.proxy).applications.submit(applicant, options);
    const outcome = expect(call).rejects.toBe("gone");
    await vi.waitUntil(() => it.proxy.requests.length === 1, { timeout: 30_000 });
    controller.abort("gone");
    await outcome;
    await expect(createSubmissionsClient(it.proxy).applications.submit(applicant, options)).rejects.toBe("gone");
    expect(XhrStandIn.made).toBe(1);
    expect((await it.service.stored()).applications).toEqual([]);
  });

  test("and leaves nothing with the signal when it is over", async () => {
    await using service = await startService();
    const { signal } = new AbortController();
    const [added, removed] = [vi.spyOn(signal, "addEventListener"), vi.spyOn(signal, "removeEventListener")];
    await createSubmissionsClient(service).applications.submit(applicant, { ...watched(), signal });
    expect(added).toHaveBeenCalled();
    const listeners = [removed, added].map(({ mock }) => mock.calls.map(([, listener]) => listener));
    expect(listeners[0]).toEqual(listeners[1]);
  });
});

test("is not measured without the option, with a fetch of the caller, and without XMLHttpRequest", async () => {
  await using service = await startService();
  const { seen, onUploadProgress } = watched();
  await createSubmissionsClient(service).applications.submit(applicant);
  const send = vi.fn<typeof fetch>((...request) => fetch(...request));
  const own = createSubmissionsClient({ url: service.url, fetch: send });
  await own.applications.submit(applicant, { onUploadProgress });
  expect(send).toHaveBeenCalledOnce();
  expect(XhrStandIn.made).toBe(0);
  vi.unstubAllGlobals();
  await createSubmissionsClient(service).applications.submit(applicant, { onUploadProgress });
  expect(seen).toEqual([]);
  expect((await service.stored()).applications).toHaveLength(3);
});
