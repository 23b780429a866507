// Where a proof of work is asked for, every submission needs one of its own, whichever door and kind of body it comes in;
// a refused one leaves nothing, and uses nothing up.
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type Answer,
  applicant,
  buyer,
  doors,
  form,
  json,
  pdf,
  type Procedure,
  rest,
  sendBatch,
} from "../../support/doors.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { startService, type Service } from "../../support/service.ts";
import { littleWork as env, proveWork } from "../../support/solve-challenge.ts";

type Fields = Readonly<Record<string, string | File>>;

const cases: [what: string, procedure: Procedure, init: (more: Fields) => RequestInit][] = [
  ["an inquiry", "marketplace.inquiry", (more) => json({ ...buyer, ...more })],
  ["a subscription", "newsletter.subscribe", (more) => json({ email: "reader@example.org", ...more })],
  ["an application as JSON", "applications.submit", (more) => json({ ...applicant, ...more })],
  ["an application as a form", "applications.submit", (more) => form({ ...applicant, ...more })],
  ["an application with a resume", "applications.submit", (more) => form({ ...applicant, ...more, resumeFile: pdf() })],
];

const keyed = (key: string, value: object) => json(value, { "idempotency-key": key });

async function countsOf(service: Service) {
  const { inquiries, applications, subscribers } = await service.stored();
  const rows = inquiries.length + applications.length + subscribers.length;
  return { rows, files: (await service.files("resumes")).length };
}

function expectRefused({ status, fault }: Answer, words: string): void {
  expect([status, fault?.code]).toEqual([400, "BAD_REQUEST"]);
  expect(fault?.issues).toEqual([{ path: ["altcha"], message: expect.stringContaining(words) as string }]);
}

describe.each(doors)("on the $name door", (door) => {
  test("each kind is refused without, accepted with, and refused again", async () => {
    await using service = await startService({ env });
    for (const [what, procedure, init] of cases) {
      const before = await countsOf(service);
      expectRefused(await door.send(service, procedure, init({})), "required");
      expect(await countsOf(service), what).toEqual(before);
      const altcha = await proveWork(service);
      expect((await door.send(service, procedure, init({ altcha }))).status, what).toBe(200);
      const kept = await countsOf(service);
      expect(kept.rows, what).toBe(before.rows + 1);
      expectRefused(await door.send(service, procedure, init({ altcha })), "used before");
      expect(await countsOf(service), what).toEqual(kept);
    }
    await service.stop();
    expect(await service.mails()).toHaveLength(2 * 4 + 1);
  });

  test("a submission that is refused for something else leaves the solution good", async () => {
    await using service = await startService({ env });
    const altcha = await proveWork(service);
    const send = (fields: Fields) =>
      door.send(service, "applications.submit", form({ ...applicant, altcha, ...fields }));
    expect((await send({ email: "nobody" })).fault?.issues?.map(({ path }) => path)).toEqual([["email"]]);
    expect((await send({ resumeFile: new File(["plain text"], "cv.pdf") })).status).toBe(415);
    expect((await send({})).status).toBe(200);
  });

  test("a repeated Idempotency-Key replays the answer, with the same solution, another one or none", async () => {
    await using service = await startService({ env });
    const altcha = await proveWork(service);
    const first = await door.send(service, "marketplace.inquiry", keyed("key-1", { ...buyer, altcha }));
    expect(first.status).toBe(200);
    for (const more of [{ altcha }, { altcha: await proveWork(service) }, {}]) {
      const again = await door.send(service, "marketplace.inquiry", keyed("key-1", { ...buyer, ...more }));
      expect(again.receipt).toEqual(first.receipt);
      expect(again.headers.get("idempotency-replayed")).toBe("true");
    }
    expect((await door.send(service, "marketplace.inquiry", keyed("key-1", { ...buyer, name: "Bo" }))).status).toBe(
      422,
    );
    expectRefused(await door.send(service, "marketplace.inquiry", keyed("key-2", { ...buyer, altcha })), "used before");
    expect(await countsOf(service)).toMatchObject({ rows: 1 });
  });

  test("each kind that fills the honeypot needs a proof like any other", async () => {
    await using service = await startService({ env });
    const website = "https://cheap-pills.example";
    for (const [what, procedure, init] of cases) {
      expectRefused(await door.send(service, procedure, init({ website })), "required");
      const altcha = await proveWork(service);
      expect((await door.send(service, procedure, init({ website, altcha }))).status, what).toBe(200);
      expectRefused(await door.send(service, procedure, init({ website, altcha })), "used before");
      expectRefused(await door.send(service, procedure, init({ altcha })), "used before");
    }
    await service.stop();
    expect(await service.mails()).toEqual([]);
  });
});

test("of a subscription that fills the honeypot only its Idempotency-Key is stored", async () => {
  await using service = await startService({ env });
  const reader = { email: "reader@example.org", website: "x", altcha: await proveWork(service) };
  const send = (value: object) => rest.send(service, "newsletter.subscribe", keyed("key-1", value));
  const first = await send(reader);
  const again = await send(reader);
  expect(again.receipt).toEqual(first.receipt);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect((await send({ ...reader, email: "other@example.org" })).status).toBe(422);
  expect(await countsOf(service)).toMatchObject({ rows: 0 });
});

test("a URL-encoded application needs one too", async () => {
  await using service = await startService({ env });
  const send = (fields: Record<string, string>) =>
    rest.send(service, "applications.submit", { body: new URLSearchParams({ ...applicant, ...fields }) });
  expectRefused(await send({}), "required");
  expect((await send({ altcha: await proveWork(service) })).status).toBe(200);
});

test("a form with two solutions has none", async () => {
  await using service = await startService({ env });
  const altcha = [await proveWork(service), await proveWork(service)];
  expectRefused(await rest.send(service, "applications.submit", form({ ...applicant, altcha })), "required");
});

test("of a batch with one solution, streamed or not, one call is accepted", async () => {
  for (const headers of [undefined, { "trpc-accept": "application/jsonl" }]) {
    await using service = await startService({ env });
    const altcha = await proveWork(service);
    const inputs = [1, 2].map(() => ({ ...buyer, altcha }));
    const response = await sendBatch(service, ["marketplace.inquiry", "marketplace.inquiry"], inputs, headers);
    const text = await response.text();
    expect(text.match(/INQ-/g)).toHaveLength(1);
    expect(text.match(/used before/g)).toHaveLength(1);
    expect(await countsOf(service)).toMatchObject({ rows: 1 });
  }
});

test("spent solutions are forgotten some time after their challenges have expired", async () => {
  const clock = new MovableClock();
  await using service = await startService({ env, clock });
  const altcha = await proveWork(service);
  await rest.send(service, "marketplace.inquiry", json({ ...buyer, altcha }));
  await service.stop();
  const spent = () => {
    using database = new DatabaseSync(join(service.dataFolder, "submissions.sqlite"), { readOnly: true });
    return database.prepare("SELECT challenge_hash FROM spent_challenge").all().length;
  };
  expect(spent()).toBe(1);
  clock.advance(2 * 60 * 60 * 1000);
  await using restarted = await startService({ env: { ...env, DATA_DIR: service.dataFolder }, clock });
  await expect.poll(spent).toBe(0);
  expectRefused(await rest.send(restarted, "marketplace.inquiry", json({ ...buyer, altcha })), "expired");
});
