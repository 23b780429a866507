// Where challenges come from, and what is no solution of one.
import { expect, test } from "vitest";
import { rateLimitFactors } from "../../../server/src/http/limits.ts";
import { altchaChallengePath } from "../../../shared/src/hidden-fields.ts";
import { buyer, doors, form, applicant, json, type Answer } from "../../support/doors.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { startService, type Service } from "../../support/service.ts";
import {
  type Challenge,
  fetchChallenge,
  littleWork,
  payloadOf,
  proveWork,
  solve,
} from "../../support/solve-challenge.ts";

const env = littleWork;
const inquire = (service: Service, altcha: unknown, door = doors[0]): Promise<Answer> | undefined =>
  door?.send(service, "marketplace.inquiry", json({ ...buyer, altcha }));

async function expectRefused(service: Service, answer: Answer | undefined, words: string): Promise<void> {
  expect([answer?.status, answer?.fault?.code]).toEqual([400, "BAD_REQUEST"]);
  expect(answer?.fault?.issues).toEqual([{ path: ["altcha"], message: expect.stringContaining(words) as string }]);
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

test("every challenge is a fresh one, is not cached, and can be read by pages of allowed origins", async () => {
  const origin = "https://www.example.org";
  await using service = await startService({ env: { ...env, CORS_ORIGINS: origin } });
  const ask = () => fetch(service.url + altchaChallengePath, { headers: { origin } });
  const [first, second] = [await ask(), await ask()];
  for (const { status, headers } of [first, second]) {
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    expect(headers.get("access-control-allow-origin")).toBe(origin);
  }
  const challenges = [(await first.json()) as Challenge, (await second.json()) as Challenge];
  expect(new Set(challenges.map(({ parameters }) => parameters.nonce)).size).toBe(2);
  expect(challenges[0]).toMatchObject({ parameters: { algorithm: "PBKDF2/SHA-256", cost: 100, keyLength: 32 } });
  const wrongMethod = await fetch(service.url + altchaChallengePath, { method: "POST" });
  expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
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

test("the document says what every submission needs, and how it is refused without", async () => {
  await using service = await startService({ env });
  const document = await (await fetch(`${service.url}/openapi.json`)).text();
  expect(document).toContain(altchaChallengePath);
  expect(document).toContain('"proofOfWorkInvalid"');
});

test.each(doors)("a challenge that has expired is solved in vain, on the $name door", async (door) => {
  const clock = new MovableClock();
  await using service = await startService({ env, clock });
  const late = await proveWork(service);
  clock.advance(10 * 60 * 1000);
  await expectRefused(service, await inquire(service, late, door), "expired");
  expect((await inquire(service, await proveWork(service), door))?.status).toBe(200);
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
    await expectRefused(service, await inquire(service, forgery), "no challenge of this");
  for (const none of [undefined, null, "", 1, ["a"], { challenge, solution }]) {
    await expectRefused(service, await inquire(service, none), altchaChallengePath);
  }
  expect((await inquire(service, payloadOf(challenge, solution)))?.status).toBe(200);
});
