// Where a proof of work is asked for, every submission needs one of its own; a refused one uses nothing up.
import { describe, expect, test } from "vitest";
import { applicant, buyer, doors, form, json, pdf, rest, sendBatch } from "../../support/doors.ts";
import type { Answer, Procedure } from "../../support/doors.ts";
import { atNight } from "../../support/many-or-few.ts";
import { type Service, startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { fetchChallenge, littleWork as env, payloadOf, proveWork, solve } from "../../support/solve-challenge.ts";
import type { Challenge } from "../../support/solve-challenge.ts";
import { rateLimitFactors } from "../../../server/src/http/limits.ts";
import { altchaChallengePath } from "../../../shared/src/hidden-fields.ts";

type Fields = Readonly<Record<string, string | File>>;

const cases: [what: string, procedure: Procedure, init: (more: Fields) => RequestInit][] = [
  ["an inquiry", "marketplace.inquiry", (more) => json({ ...buyer, ...more })],
  ["a subscription", "newsletter.subscribe", (more) => json({ email: "reader@example.org", ...more })],
  ["an application as JSON", "applications.submit", (more) => json({ ...applicant, ...more })],
  ["an application as a form", "applications.submit", (more) => form({ ...applicant, ...more })],
  ["an application with a resume", "applications.submit", (more) => form({ ...applicant, ...more, resumeFile: pdf() })],
];
/** By day an application in one of its forms. */
const tried = cases.filter(([what]) => atNight || !/ as (?:JSON|a form)$/.test(what));
const website = "https://cheap-pills.example";
const origin = "https://www.example.org";

/** For what does not ask how much is stored in all. */
const common = shared(() => startService({ env: { ...env, CORS_ORIGINS: origin } }));

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
    for (const [what, procedure, init] of tried) {
      const before = await countsOf(service);
      expectRefused(await door.send(service, procedure, init({})), "required");
      expect(await countsOf(service), what).toEqual(before);
      const altcha = await proveWork(service);
      expect((await door.send(service, procedure, init({ altcha }))).status, what).toBe(200);
      const kept = await countsOf(service);
      expect(kept.rows, what).toBe(before.rows + 1);
      for (const more of [{}, { website }])
        expectRefused(await door.send(service, procedure, init({ ...more, altcha })), "used before");
      expectRefused(await door.send(service, procedure, init({ website })), "required");
      expect(await countsOf(service), what).toEqual(kept);
      const trapped = { website, altcha: await proveWork(service) };
      expect((await door.send(service, procedure, init(trapped))).status, what).toBe(200);
      expectRefused(await door.send(service, procedure, init(trapped)), "used before");
    }
    await service.stop();
    const mails = tried.map(([, procedure]) => (procedure === "newsletter.subscribe" ? 1 : 2));
    expect(await service.mails()).toHaveLength(mails.reduce((sum: number, more) => sum + more, 0));
  });

  test("a submission that is refused for something else leaves the solution good", async () => {
    const altcha = await proveWork(common());
    const send = (more: Fields) => door.send(common(), "applications.submit", form({ ...applicant, altcha, ...more }));
    expect((await send({ email: "nobody" })).fault?.issues?.map(({ path }) => path)).toEqual([["email"]]);
    expect((await send({ resumeFile: new File(["plain text"], "cv.pdf") })).status).toBe(415);
    expect((await send({})).status).toBe(200);
  });

  test("a repeated Idempotency-Key replays the answer, with the same solution, another one or none", async () => {
    const before = await countsOf(common());
    const altcha = await proveWork(common());
    const first = await door.send(common(), "marketplace.inquiry", keyed(`1 ${door.name}`, { ...buyer, altcha }));
    expect(first.status).toBe(200);
    for (const more of [{ altcha }, { altcha: await proveWork(common()) }, {}]) {
      const again = await door.send(common(), "marketplace.inquiry", keyed(`1 ${door.name}`, { ...buyer, ...more }));
      expect(again.receipt).toEqual(first.receipt);
      expect(again.headers.get("idempotency-replayed")).toBe("true");
    }
    const changed = await door.send(common(), "marketplace.inquiry", keyed(`1 ${door.name}`, { ...buyer, name: "Bo" }));
    expect(changed.status).toBe(422);
    expectRefused(
      await door.send(common(), "marketplace.inquiry", keyed(`2 ${door.name}`, { ...buyer, altcha })),
      "used before",
    );
    expect((await countsOf(common())).rows).toBe(before.rows + 1);
  });
});

test("a URL-encoded application needs one too, and a form with two solutions has none", async () => {
  const send = (init: RequestInit) => rest.send(common(), "applications.submit", init);
  const urlencoded = (more: Record<string, string>) => ({ body: new URLSearchParams({ ...applicant, ...more }) });
  expectRefused(await send(urlencoded({})), "required");
  expect((await send(urlencoded({ altcha: await proveWork(common()) }))).status).toBe(200);
  const altcha = [await proveWork(common()), await proveWork(common())];
  expectRefused(await send(form({ ...applicant, altcha })), "required");
});

test("of a batch with one solution, streamed or not, one call is accepted", async () => {
  for (const headers of [undefined, { "trpc-accept": "application/jsonl" }]) {
    const before = await countsOf(common());
    const altcha = await proveWork(common());
    const inputs = [1, 2].map(() => ({ ...buyer, altcha }));
    const response = await sendBatch(common(), ["marketplace.inquiry", "marketplace.inquiry"], inputs, headers);
    const text = await response.text();
    expect(text.match(/INQ-/g)).toHaveLength(1);
    expect(text.match(/used before/g)).toHaveLength(1);
    expect((await countsOf(common())).rows).toBe(before.rows + 1);
  }
});

// Where challenges come from, and what is no solution of one.
const inquire = (service: Service, altcha: unknown, door = doors[0]): Promise<Answer> | undefined =>
  door?.send(service, "marketplace.inquiry", json({ ...buyer, altcha }));

async function expectNothingKept(service: Service, answer: Answer | undefined, words: string): Promise<void> {
  expectRefused(answer!, words);
  expect((await service.stored()).inquiries).toEqual([]);
  expect(await service.mails()).toEqual([]);
}

test("without a key there are no challenges, no document speaks of them, and a solution is one more unknown field", async () => {
  await using service = await startService();
  expect((await fetch(service.url + altchaChallengePath)).status).toBe(404);
  expect(await (await fetch(`${service.url}/openapi.json`)).text()).not.toMatch(/altcha/i);
  for (const door of doors) {
    expect((await inquire(service, "nonsense", door))?.status).toBe(200);
    expect((await inquire(service, { any: "thing" }, door))?.status).toBe(200);
    const sent = await door.send(service, "applications.submit", form({ ...applicant, altcha: ["one", "two"] }));
    expect(sent.status).toBe(200);
  }
});

test("every challenge is a fresh one, is not cached, can be read by pages of allowed origins, and is documented", async () => {
  const ask = () => fetch(common().url + altchaChallengePath, { headers: { origin } });
  const [first, second] = [await ask(), await ask()];
  for (const { status, headers } of [first, second]) {
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    expect(headers.get("access-control-allow-origin")).toBe(origin);
  }
  const challenges = [(await first.json()) as Challenge, (await second.json()) as Challenge];
  expect(new Set(challenges.map(({ parameters }) => parameters.nonce)).size).toBe(2);
  expect(challenges[0]).toMatchObject({ parameters: { algorithm: "PBKDF2/SHA-256", cost: 100, keyLength: 32 } });
  const wrongMethod = await fetch(common().url + altchaChallengePath, { method: "POST" });
  expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  const document = await (await fetch(`${common().url}/openapi.json`)).text();
  for (const part of [altchaChallengePath, '"proofOfWorkInvalid"']) expect(document).toContain(part);
});

test("challenges are counted apart from submissions, of which a client may send fewer", async () => {
  await using service = await startService({ env: { ...env, RATE_LIMIT_MAX: "1", RATE_LIMIT_WINDOW_SECONDS: "3600" } });
  const altcha = await proveWork(service);
  for (let asked = 1; asked < rateLimitFactors.challenges; asked += 1) await fetchChallenge(service);
  const refused = await fetch(service.url + altchaChallengePath);
  expect([refused.status, (await refused.json()) as unknown]).toMatchObject([429, { code: "TOO_MANY_REQUESTS" }]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await inquire(service, altcha))?.status).toBe(200);
});

test("what is no solution of a challenge of ours is refused", async () => {
  await using service = await startService({ env });
  await using other = await startService({ env: { ...env, ALTCHA_HMAC_KEY: "f".repeat(32) } });
  const challenge = await fetchChallenge(service);
  const solution = solve(challenge);
  const changed = (more: Partial<Challenge["parameters"]>): Challenge => ({
    ...challenge,
    parameters: { ...challenge.parameters, ...more },
  });
  const { nonce, expiresAt, keyPrefix } = challenge.parameters;
  const easier = changed({ keyPrefix: "00" });
  const begun = keyPrefix.padEnd(64, "0");
  const forgeries: unknown[] = [
    "nonsense",
    Buffer.from("null").toString("base64"),
    Buffer.from("{}").toString("base64"),
    "A".repeat(10_000),
    await proveWork(other),
    payloadOf(changed({ expiresAt: expiresAt + 3600 }), solution),
    payloadOf(changed({ nonce: nonce.replace(/^./, (digit) => (digit === "0" ? "1" : "0")) }), solution),
    payloadOf(easier, solve(easier)),
    payloadOf({ ...challenge, signature: "" }, solution),
    payloadOf({ ...challenge, signature: challenge.signature.toUpperCase() }, solution),
    payloadOf(challenge, { counter: solution.counter, derivedKey: begun }),
    payloadOf(challenge, { counter: solution.counter, derivedKey: solution.derivedKey.toUpperCase() }),
    payloadOf(challenge, { counter: -1, derivedKey: "" }),
  ];
  for (const forgery of forgeries)
    await expectNothingKept(service, await inquire(service, forgery), "no challenge of this");
  for (const none of [undefined, null, "", 1, ["a"], { challenge, solution }]) {
    await expectNothingKept(service, await inquire(service, none), altchaChallengePath);
  }
  expect((await inquire(service, payloadOf(challenge, solution)))?.status).toBe(200);
});
