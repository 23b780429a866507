// What the server bears of a client: times, sizes and counts. Times are injected where one has to pass, so that nothing is
// waited for, and are the usual ones elsewhere: a test that is held up for a second is no slow client.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { applicant, buyer, form, json, pdf, rest, sendBatch } from "../../support/doors.ts";
import { shared } from "../../support/shared.ts";
import { startService, type Service } from "../../support/service.ts";

const service = shared(() => startService({ limits: { drainBytesMax: 1024 * 1024 } }));

async function open({ url }: Pick<Service, "url"> = service(), localAddress = "127.0.0.1"): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, localAddress });
  await once(socket, "connect");
  // A reset is one of the ways in which the service may cut.
  socket.on("error", () => {});
  return socket;
}

async function everything(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString("latin1")));
  // Not `once`, which would reject when the service cuts with a reset.
  await new Promise((resolve) => socket.on("close", resolve));
  return text;
}

/** Everything that is answered to bytes, the last of which ask for the connection to be closed, or deserve it. */
async function answersTo(bytes: string): Promise<string> {
  const socket = await open();
  socket.write(bytes);
  return everything(socket);
}

const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
const statusesOf = (answers: string) => [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4)) as object;

const uploadHead = (length: string) =>
  post("/api/applications/submit", `Content-Type: multipart/form-data; boundary=b\r\n${length}\r\n\r\n`);
const filePart = '--b\r\nContent-Disposition: form-data; name="resumeFile"; filename="r.pdf"\r\n\r\n%PDF-1.7\n';
const chunked = (type: string) => `Content-Type: ${type}\r\nTransfer-Encoding: chunked`;
const post = (path: string, sent: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\n${sent}`;
const ofJson = (length: number, text = "{") =>
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${text}`;
const inquiryOf = (text: string) => post("/api/marketplace/inquiry", ofJson(text.length, text));

/** Writes when it is told to, and tries again where that came too late for a request to be in time. */
const lateClient = `
  const { parentPort, workerData: { host, port, request, written } } = require("node:worker_threads");
  const ask = () => {
    Atomics.store(written, 0, 0);
    const socket = require("node:net").connect({ host, port }, () => {
      const since = performance.now();
      parentPort.postMessage("open");
      Atomics.wait(written, 0, 0);
      const isLate = performance.now() - since > 200;
      socket.write(request, () => {
        Atomics.store(written, 0, 2);
        Atomics.notify(written, 0);
      });
      socket.once("data", (answer) => {
        socket.destroy();
        parentPort.postMessage(isLate ? "" : String(answer));
        if (isLate) ask();
      });
    });
    socket.on("error", () => {});
  };
  ask();
`;

describe("time", () => {
  const impatient = shared(() => startService({ limits: { headersMs: 300, checkMs: 20, bodyWindowMs: 300 } }));

  test("headers that come too slowly are answered 408 and cut", async () => {
    const socket = await open(impatient());
    socket.write("POST /api/newsletter/subscribe HTTP/1.1\r\nHost: x\r\n");
    const answer = await everything(socket);
    expect(statusesOf(answer)).toEqual([408]);
    const requestId = /^x-request-id: (\S+)\r$/m.exec(answer)?.[1];
    expect(bodyOf(answer)).toEqual({ code: "TIMEOUT", message: expect.any(String), requestId });
  });

  test("a request that came while the process stood still is answered", async () => {
    const { hostname: host, port } = new URL(impatient().url);
    const request = post("/api/newsletter/subscribe", ofJson(27, '{"email":"ana@example.org"}'));
    const written = new Int32Array(new SharedArrayBuffer(4));
    // Another thread writes while this one, which serves, stands still.
    const client = new Worker(lateClient, { eval: true, workerData: { host, port: Number(port), request, written } });
    let answer = "";
    while (answer === "") {
      expect(await once(client, "message")).toEqual(["open"]);
      Atomics.store(written, 0, 1);
      Atomics.notify(written, 0);
      Atomics.wait(written, 0, 1);
      Atomics.wait(written, 0, 2, 350);
      [answer] = (await once(client, "message")) as [string];
    }
    expect(statusesOf(answer)).toEqual([200]);
  });

  test.each([
    ["an upload", `${uploadHead("Content-Length: 100000")}${filePart}`],
    ["JSON", post("/api/newsletter/subscribe", ofJson(50))],
    [
      "the form of a newsletter link",
      post(
        "/newsletter/unsubscribe",
        "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ntoken=",
      ),
    ],
  ])("%s that stops coming is answered 408 and cut, and leaves nothing", async (_, begun = "") => {
    const socket = await open(impatient());
    socket.write(begun);
    expect(statusesOf(await everything(socket))).toEqual([408]);
    await expect.poll(() => impatient().files("resumes/.staging")).toEqual([]);
  });

  test("a body that ends only after its answer 408 is not stored", async () => {
    const { hostname: host, port } = new URL(impatient().url);
    const body = JSON.stringify(buyer);
    const socket = connect({ host, port: Number(port), allowHalfOpen: true });
    const closed = new Promise((resolve) => socket.on("error", () => {}).on("close", resolve));
    socket.write(post("/api/marketplace/inquiry", ofJson(body.length)));
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(statusesOf(answer.toString())).toEqual([408]);
    socket.end(body.slice(1));
    await closed;
    expect((await impatient().stored()).inquiries).toEqual([]);
  });

  test("a connection on which nothing moves is cut", async () => {
    await using own = await startService({ limits: { idleMs: 200, bodyWindowMs: 60_000 } });
    const socket = await open(own);
    socket.write(`${uploadHead("Content-Length: 100000")}${filePart}`);
    expect(await everything(socket)).toBe("");
    await expect.poll(() => own.files("resumes/.staging")).toEqual([]);
  });

  test("a submission that cannot be stored before its connection is cut is refused 503, and leaves nothing", async () => {
    await using own = await startService({ limits: { answerMsMax: 0 } });
    const answers = [
      await rest.send(own, "marketplace.inquiry", json(buyer)),
      await rest.send(own, "applications.submit", form({ ...applicant, resumeFile: pdf() })),
    ];
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    expect(await own.stored()).toMatchObject({ inquiries: [], applications: [] });
    expect(await own.files("resumes")).toEqual([]);
  });
});

describe("bytes", () => {
  /** Sends until the service cuts, and answers how many bytes were handed to the system. */
  async function sendWithoutEnd(socket: Socket, piece: Buffer): Promise<number> {
    let sent = 0;
    while (!socket.destroyed && sent < 200 * 1024 * 1024) {
      sent += piece.length;
      if (!socket.write(piece)) await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => {});
    }
    return sent;
  }

  test("a client that never stops sending is answered 413 and cut", async () => {
    const socket = await open();
    socket.write(uploadHead("Transfer-Encoding: chunked"));
    const answered = everything(socket);
    const chunk = Buffer.alloc(65_536, "a");
    const frame = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]);
    socket.write(`${filePart.length.toString(16)}\r\n${filePart}\r\n`);
    expect(await sendWithoutEnd(socket, frame)).toBeLessThan(100 * 1024 * 1024);
    expect(await answered).toMatch(/^HTTP\/1\.1 413 /);
    await expect.poll(() => service().files("resumes/.staging")).toEqual([]);
  });

  test("a refused upload is read to its end within bounds, so that the client can see the answer", async () => {
    await using own = await startService();
    const resumeFile = new File([new Uint8Array(20_000_000)], "resume.pdf");
    expect((await rest.send(own, "applications.submit", form({ ...applicant, resumeFile }))).status).toBe(413);
    expect((await rest.send(own, "applications.submit", form({ ...applicant, resumeFile: pdf() }))).status).toBe(200);
    expect(await own.files("resumes/.staging")).toEqual([]);
  });

  describe("of a request that is refused unread", () => {
    const refusals: readonly [status: number, path: string][] = [
      [415, "/api/marketplace/inquiry"],
      [404, "/nowhere"],
      [404, "/%zz"],
    ];
    type Version = readonly [number: string, header: string];
    const keepsAlive: Version = ["1.1", ""];
    const closes: Version = ["1.1", "Connection: close\r\n"];
    const old: Version = ["1.0", ""];

    /** Sends the head of a request, and waits for its answer. The client goes on sending whatever it is answered. */
    async function refused(
      { url }: Service,
      [status, path]: (typeof refusals)[number],
      [version, header]: Version,
      length = "Content-Length: 1000000000",
    ) {
      const { hostname: host, port } = new URL(url);
      const socket = connect({ host, port: Number(port), allowHalfOpen: true });
      const broken = new Promise<boolean>((resolve) => socket.on("error", () => {}).on("close", resolve));
      socket.write(`POST ${path} HTTP/${version}\r\nHost: x\r\nContent-Type: image/png\r\n${length}\r\n${header}\r\n`);
      const [answer] = (await once(socket, "data")) as [Buffer];
      expect(statusesOf(answer.toString("latin1"))).toEqual([status]);
      return { socket, broken };
    }

    const own = shared(() => startService({ limits: { drainBytesMax: 1024 * 1024, drainMsMax: 600_000 } }));

    test.each([
      [413, "/api/applications/submit", "multipart/form-data; boundary=b"],
      [413, "/trpc/newsletter.subscribe", "application/json"],
      [415, "/api/newsletter/subscribe", "application/json; charset=utf-16"],
      [415, "/trpc/marketplace.inquiry", "text/plain"],
    ])("a client that asks first is answered %i and not asked for it: %s, %s", async (status, path, type) => {
      const socket = await open(own());
      const asks = "Content-Length: 1000000000\r\nExpect: 100-continue\r\n\r\n";
      socket.write(post(path, `Content-Type: ${type}\r\n${asks}`));
      const [answer] = (await once(socket, "data")) as [Buffer];
      expect(statusesOf(answer.toString("latin1"))).toEqual([status]);
      socket.destroy();
    });

    test("a client that asks first and is not refused is asked for its body", async () => {
      const socket = await open(own());
      const body = JSON.stringify(applicant);
      socket.write(post("/api/applications/submit", `Expect: 100-continue\r\n${ofJson(body.length, "")}`));
      expect(String(await once(socket, "data"))).toBe("HTTP/1.1 100 Continue\r\n\r\n");
      socket.write(body);
      expect(String(await once(socket, "data"))).toMatch(/^HTTP\/1\.1 200 /);
      socket.destroy();
    });

    // A proxy may otherwise send the next request of another client behind it, to be read as the rest of the body.
    test("the answer ends the connection", async () => {
      for (const [status, path] of refusals) {
        const socket = await open(own());
        socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nContent-Length: 9\r\n\r\n`);
        const [head] = (await once(socket, "data")) as [Buffer];
        expect(head.toString()).toMatch(/^connection: close\r$/im);
        socket.write(`GET /docs ${get("/healthz")}`);
        expect(statusesOf(head.toString() + (await everything(socket)))).toEqual([status]);
      }
    });

    test("a client that leaves instead of sending it is counted as refused", async () => {
      await using counting = await startService();
      const { socket } = await refused(counting, [415, "/api/marketplace/inquiry"], keepsAlive);
      socket.destroy();
      const counted = 'http_refusals_total{route="/api/marketplace/inquiry",fault="contentTypeUnsupported"} 1';
      await expect.poll(async () => (await fetch(`${counting.url}/metrics`)).text()).toContain(counted);
    });

    test("the connection stays where the body has come with its head", async () => {
      const socket = await open(own());
      socket.write("POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nGET /docs");
      const [first] = (await once(socket, "data")) as [Buffer];
      socket.write(get("/healthz"));
      expect(statusesOf(first.toString() + (await everything(socket)))).toEqual([404, 200]);
    });

    test.each([closes, old])("the rest is taken: no reset overtakes the answer: HTTP/%s %j", async (...version) => {
      for (const refusal of refusals) {
        const { socket, broken } = await refused(own(), refusal, version, "Content-Length: 1000000");
        socket.end(Buffer.alloc(1_000_000));
        expect(await broken).toBe(false);
      }
    });

    test.each([keepsAlive, closes, old])("no more is taken than may be: HTTP/%s %j", async (...version) => {
      for (const refusal of refusals) {
        const { socket } = await refused(own(), refusal, version);
        expect(await sendWithoutEnd(socket, Buffer.alloc(65_536))).toBeLessThan(100 * 1024 * 1024);
      }
    });

    /** A client that has sent all notices the end of its connection only when it sends more. */
    async function sendUntilCut({ socket, broken }: Awaited<ReturnType<typeof refused>>, piece: string): Promise<void> {
      const sending = setInterval(() => socket.write(piece), 10);
      await broken;
      clearInterval(sending);
    }

    test.each([keepsAlive, closes])("pieces of one byte are cut: HTTP/%s %j", async (...version) => {
      // So many bytes that nothing else cuts such a client within the time of this test.
      await using patient = await startService({ limits: { drainMsMax: 600_000 } });
      for (const refusal of refusals) {
        const client = await refused(patient, refusal, version, "Transfer-Encoding: chunked");
        await sendUntilCut(client, "1\r\n[\r\n".repeat(2_000));
      }
    });

    test.each([keepsAlive, closes, old])("it is not waited for for long: HTTP/%s %j", async (...version) => {
      await using hasty = await startService({ limits: { drainMsMax: 50 } });
      for (const refusal of refusals) await sendUntilCut(await refused(hasty, refusal, version), "x");
    });
  });

  test.each([
    ["an upload", chunked("multipart/form-data; boundary=b"), "/api/applications/submit"],
    ["JSON", chunked("application/json"), "/trpc/newsletter.subscribe"],
  ])("%s in pieces of one byte is cut, and leaves nothing", async (_, head, path) => {
    const socket = await open();
    const pieces = `${filePart.length.toString(16)}\r\n${filePart}\r\n${"1\r\n[\r\n".repeat(100_000)}`;
    socket.write(post(path, `${head}\r\n\r\n${pieces}`));
    expect(statusesOf(await everything(socket)).every((status) => status === 400)).toBe(true);
    await expect.poll(() => service().files("resumes/.staging")).toEqual([]);
  });

  test("an upload that breaks off anywhere leaves neither row nor file nor mail", async () => {
    const before = await service().stored();
    const mails = (await service().mails()).length;
    const whole = `${filePart}${"x".repeat(300_000)}\r\n--b--\r\n`;
    for (const share of [0.01, 0.5, 0.99]) {
      const socket = await open();
      socket.write(uploadHead(`Content-Length: ${whole.length}`) + whole.slice(0, Math.floor(whole.length * share)));
      await expect.poll(() => service().files("resumes/.staging")).not.toEqual([]);
      socket.resetAndDestroy();
      await expect.poll(() => service().files("resumes/.staging")).toEqual([]);
    }
    expect(await service().stored()).toEqual(before);
    expect(await service().mails()).toHaveLength(mails);
  });
});

describe("counts", () => {
  test("a client that closes its side behind its requests gets all answers", async () => {
    const socket = await open();
    socket.end(inquiryOf(JSON.stringify(buyer)).repeat(2));
    expect(statusesOf(await everything(socket))).toEqual([200, 200]);
  });

  test("requests sent a little ahead are answered in their order", async () => {
    const paths = ["/healthz", "/nothing", "/readyz", "/healthz"];
    const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join("");
    expect(statusesOf(await answersTo(requests + get("/docs")))).toEqual([200, 404, 200, 200, 200]);
  });

  test("one more than 50 calls in a batch is refused whole", async () => {
    const before = (await service().stored()).subscribers.length;
    const batch = (calls: number) => {
      const inputs = Array.from({ length: calls }, (_, n) => ({ email: `batch${n}@example.org` }));
      return sendBatch(service(), Array(calls).fill("newsletter.subscribe"), inputs);
    };
    expect((await batch(51)).status).toBe(400);
    expect((await service().stored()).subscribers).toHaveLength(before);
    expect((await batch(50)).status).toBe(200);
    expect((await service().stored()).subscribers).toHaveLength(before + 50);
  });
});

describe("what is sent", () => {
  test.each([1, 2])("that is broken behind %i whole requests does not take their answers", async (whole) => {
    const before = (await service().stored()).inquiries.length;
    const socket = await open();
    socket.write(`${inquiryOf(JSON.stringify(buyer)).repeat(whole)}HELLO\r\n\r\n`);
    expect(statusesOf(await everything(socket))).toEqual(Array(whole).fill(200));
    expect((await service().stored()).inquiries).toHaveLength(before + whole);
  });

  test.each(["{", "", "\xff", "[]"])("as the body %j takes no answer of the requests behind it", async (body) => {
    const before = (await service().stored()).inquiries.length;
    const socket = await open();
    socket.end(inquiryOf(body) + inquiryOf(JSON.stringify(buyer)).repeat(2), "latin1");
    expect(statusesOf(await everything(socket))).toEqual([400, 200, 200]);
    expect((await service().stored()).inquiries).toHaveLength(before + 2);
  });

  test("as a broken body is answered 400", async () => {
    const answer = await answersTo(post("/api/marketplace/inquiry", `${chunked("application/json")}\r\n\r\nHELLO\r\n`));
    expect(statusesOf(answer)).toEqual([400]);
  });

  test.each(["application/jsonl", "application/json"])(
    "as a batch behind a byte-order mark, with a deeply nested value beside its input, is taken, answered as %s",
    async (accept) => {
      const nested = "[".repeat(30_000) + "]".repeat(30_000);
      const body = `\uFEFF{"0":{"email":"deep@example.org"},"ignored":${nested}}`;
      const response = await sendBatch(service(), ["newsletter.subscribe"], body, { "trpc-accept": accept });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('"result":');
    },
  );

  test("as a part that the parser cannot use is a refusal, not a resume lost in silence", async () => {
    const body = (disposition: string) =>
      Object.entries(applicant)
        .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
        .join("") + `--b\r\nContent-Disposition: ${disposition}\r\n\r\n%PDF-1.7\n%%EOF\n\r\n--b--\r\n`;
    const before = (await service().stored()).applications.length;
    for (const disposition of [
      "form-data; name=\"resumeFile\"; filename*=utf-8''a%0D%0Ab.pdf",
      'attachment; name="resumeFile"; filename="a.pdf"',
      'form-data; name="resumeFile"; filename="a\u0000.pdf"',
    ]) {
      const init = { headers: { "content-type": "multipart/form-data; boundary=b" }, body: body(disposition) };
      expect((await rest.send(service(), "applications.submit", init)).status, disposition).toBe(400);
    }
    expect((await service().stored()).applications).toHaveLength(before);
  });
});

describe("addresses", () => {
  test.each([
    ["an unknown path", "GET", "/nothing", 404, null],
    ["an unknown path below a known one", "POST", "/api/newsletter/subscribe/x", 404, null],
    ["another method", "PUT", "/api/newsletter/subscribe", 405, "POST"],
    ["a read of a typed procedure", "GET", "/trpc/newsletter.subscribe", 405, "POST"],
    ["a read of a typed batch", "GET", "/trpc/newsletter.subscribe,marketplace.inquiry?batch=1", 405, "POST"],
    ["an unknown typed procedure", "POST", "/trpc/newsletter.nothing", 404, null],
    ["a write to a page", "POST", "/healthz", 405, "GET, HEAD"],
  ])("%s is refused before its body is read", async (_name, method, path, status, allow) => {
    const response = await fetch(service().url + path, { method, ...(method === "GET" ? {} : { body: "anything" }) });
    const body = (await response.json()) as { error?: object };
    const allowed = response.headers.get("allow")?.split(", ").toSorted().join(", ") ?? null;
    expect([response.status, allowed]).toEqual([status, allow]);
    expect(path.startsWith("/trpc/") ? body.error : body).toMatchObject({ message: expect.any(String) });
  });

  test.each([
    ["a whole URL as its target", get("http://x/healthz"), 200],
    ["a whole URL without a path", get("http://x"), 200],
    ["a whole URL of an address that takes another method", get("http://x/api/newsletter/subscribe"), 405],
    ["a whole URL of a typed procedure", get("http://x/trpc/newsletter.subscribe"), 405],
    ["a whole URL that does not exist", get("https://x/nothing?a=b"), 404],
    ["another kind of target", get("ftp://x/healthz"), 404],
  ])("a request with %s", async (_, bytes, status) => {
    const answer = await answersTo(bytes);
    expect(statusesOf(answer)).toEqual([status]);
    if (status === 405) expect(answer).toMatch(/^allow: POST\r$[^]*"code":"METHOD_NOT_SUPPORTED"/im);
  });

  test.each([
    ["a fragment in the target", "GET /healthz#x HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["two Host lines", "GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"],
    ["two equal Host lines", "GET /healthz HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n"],
    ["no Host", "GET /healthz HTTP/1.1\r\n\r\n"],
    ["a transfer coding that is not undone", post("/", "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n")],
    [
      "a transfer coding of HTTP/1.0",
      "POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
  ])("a connection that brings a request with %s is closed after its answer", async (_, bytes) => {
    const socket = await open();
    socket.write(bytes);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(statusesOf(answer.toString())).toEqual([400]);
    expect(answer.toString()).toMatch(/^connection: close\r$/im);
    await once(socket, "close");
  });

  test("what comes behind such a request is not taken", async () => {
    const behind = inquiryOf(JSON.stringify({ ...buyer, name: "Behind" }));
    const answers = await answersTo(`GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n${behind}`);
    expect(statusesOf(answers)).toEqual([400]);
    // Submissions are stored in their order.
    expect((await rest.send(service(), "marketplace.inquiry", json(buyer))).status).toBe(200);
    expect((await service().stored()).inquiries.map(({ name }) => name)).not.toContain("Behind");
  });

  test.each(["application/jsonl", "application/json"])("a percent sign as a batch's procedure: %s", async (accept) => {
    const init = { method: "POST", ...json({ 0: {} }, { "trpc-accept": accept }) };
    const response = await fetch(`${service().url}/trpc/%25?batch=1`, init);
    expect(response.status).toBeLessThan(500);
    expect(await response.text()).toContain("NOT_FOUND");
  });
});

test("every answer tells browsers to trust nothing about it", async () => {
  const answers = [
    await fetch(`${service().url}/healthz`),
    await fetch(`${service().url}/nothing`),
    await fetch(`${service().url}/api/newsletter/subscribe`, { method: "POST", ...json({ email: "" }) }),
    await fetch(`${service().url}/trpc/newsletter.subscribe`, { method: "POST", ...json({ email: "" }) }),
  ];
  for (const { headers } of answers) {
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(headers.get("server") ?? headers.get("x-powered-by")).toBeNull();
  }
});
