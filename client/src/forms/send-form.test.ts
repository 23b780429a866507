// How long a form waits for its answer. Everything else of sending is tried in a browser.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { forgetConfig } from "./form-config.ts";
import { sendForm } from "./send-form.ts";

/** An upload that moves when the test says so. */
class SlowUpload extends EventTarget {
  static last: SlowUpload;
  readonly upload = new EventTarget();
  readonly status = 200;
  responseText = "";
  isAborted = false;

  constructor() {
    super();
    SlowUpload.last = this;
  }

  open(): void {}
  setRequestHeader(): void {}
  send(): void {}
  getAllResponseHeaders = () => "content-type: application/json\r\n";

  abort(): void {
    this.isAborted = true;
    this.#end("abort");
  }

  moveTo(loaded: number, total: number): void {
    this.upload.dispatchEvent(Object.assign(new Event("progress"), { loaded, total }));
  }

  answer(data: object): void {
    this.responseText = JSON.stringify({ result: { data } });
    this.#end("load");
  }

  #end(how: "abort" | "load"): void {
    for (const name of [how, "loadend"]) this.dispatchEvent(new Event(name));
  }
}

const endpoint = "https://submissions.example";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("XMLHttpRequest", SlowUpload);
  vi.stubGlobal("navigator", { onLine: true });
  vi.stubGlobal("fetch", async () => Response.json({ packages: null, proofOfWork: false }));
});
afterEach(() => {
  forgetConfig(endpoint);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function begin() {
  const values = new FormData();
  values.append("fullName", "Ana Souza");
  const { signal } = new AbortController();
  const sending = { endpoint, key: "key-1", signal, onStage: () => {}, onProgress: () => {} };
  const sent = sendForm("application", values, sending);
  sent.catch(() => {});
  await vi.advanceTimersByTimeAsync(0);
  return { sent, upload: SlowUpload.last };
}

test("an upload on a slow line is waited for as long as bytes move, and its answer too", async () => {
  const { sent, upload } = await begin();
  const total = 5_000_000;
  for (let loaded = 0; loaded <= total; loaded += 500_000) {
    await vi.advanceTimersByTimeAsync(60_000);
    upload.moveTo(loaded, total);
  }
  await vi.advanceTimersByTimeAsync(60_000);
  upload.answer({ message: "Thank you.", applicationId: "APP-1" });
  expect(await sent).toMatchObject({ applicationId: "APP-1" });
  expect(vi.getTimerCount()).toBe(0);
});

test("an upload that stands still is given up, and may have arrived", async () => {
  const { sent, upload } = await begin();
  upload.moveTo(1_000, 2_000);
  await vi.advanceTimersByTimeAsync(89_999);
  expect(upload.isAborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(upload.isAborted).toBe(true);
  await expect(sent).rejects.toMatchObject({ code: "NETWORK", mayHaveArrived: true, idempotencyKey: "key-1" });
});

test("a challenge of which not all arrives is asked for again, and one that is given up is no answer", async () => {
  let challenges = 0;
  vi.stubGlobal("fetch", async (url: string) => {
    if (url.endsWith("/config.json")) return Response.json({ packages: null, proofOfWork: true });
    challenges += 1;
    const body = new ReadableStream({ start: (stream) => stream.error(new DOMException("aborted", "AbortError")) });
    return new Response(body);
  });
  const { sent } = await begin();
  await vi.advanceTimersByTimeAsync(20_000);
  await expect(sent).rejects.toMatchObject({ code: "NETWORK", mayHaveArrived: false });
  expect(challenges).toBeGreaterThan(2);
});
