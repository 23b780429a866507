// The second factor, sessions one by one, ways back in, and the places that strangers cannot take.
import { TOTP } from "otpauth";
import { expect, test } from "vitest";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { drawSecret, hashSecret } from "../../../server/src/secrets.ts";
import { json } from "../../support/doors.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { type Service, startService } from "../../support/service.ts";
import { auditOf, invite, Operator, operator, password } from "../../support/console/operator.ts";

const minuteMs = 60_000;

const codeOf = (secret: string, at: number) => new TOTP({ secret }).generate({ timestamp: at });

async function setFactor(one: Operator, clock: MovableClock) {
  const { secret } = (await one.call("secondFactor.begin", { password })).data as { secret: string };
  const answer = await one.call("secondFactor.confirm", { password, secret, code: codeOf(secret, clock.now()) });
  return { secret, codes: answer.data as readonly string[] };
}

const signIn = (one: Operator, email: string, code?: string) =>
  one.call("session.signIn", { email, password, ...(code !== undefined && { code }) });

test("once a second factor is set, the password alone does not sign in, and each code works once", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock });
  const eva = await operator(service, "eva@example.org", "sales");
  const begun = await eva.call("secondFactor.begin", { password: "wrong" });
  expect([begun.status, begun.issues?.[0]?.path]).toEqual([400, ["password"]]);
  const { uri, secret: unused } = (await eva.call("secondFactor.begin", { password })).data as Record<string, string>;
  expect(uri).toMatch(/^otpauth:\/\/totp\/.*secret=[A-Z2-7]{32}/);
  const wrong = await eva.call("secondFactor.confirm", { password, secret: unused, code: "000000" });
  expect([wrong.status, wrong.issues?.[0]?.path]).toEqual([400, ["code"]]);
  expect((await eva.call("secondFactor.get")).data).toEqual({ isSet: false });
  const { secret, codes } = await setFactor(eva, clock);
  expect(new Set(codes).size).toBe(10);
  expect((await eva.call("secondFactor.get")).data).toEqual({ isSet: true });

  clock.advance(minuteMs);
  const other = new Operator(service);
  const asked = await signIn(other, "eva@example.org");
  expect([asked.status, asked.issues?.[0]?.path, other.cookie]).toEqual([400, ["code"], null]);
  const code = codeOf(secret, clock.now());
  expect((await signIn(other, "eva@example.org", `${code.slice(0, 3)} ${code.slice(3)}`)).status).toBe(200);
  const again = await signIn(new Operator(service), "eva@example.org", code);
  expect([again.status, again.issues?.[0]?.message]).toEqual([400, "This code is wrong, or was used before."]);

  expect((await signIn(new Operator(service), "eva@example.org", codes[3]!.toUpperCase())).status).toBe(200);
  expect((await signIn(new Operator(service), "eva@example.org", codes[3])).status).toBe(400);
  expect((await eva.call("secondFactor.remove", { password })).status).toBe(200);
  expect((await signIn(new Operator(service), "eva@example.org")).status).toBe(200);
  const actions = (await auditOf(service)).map(({ action }) => action).filter((one) => /factor|recovery/.test(one));
  expect(actions).toEqual(["operator.factor-set", "operator.recovery-code", "operator.factor-removed"]);
});

test("ten failures a minute are enough, of passwords, current passwords and codes together, and sessions go on", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock });
  const email = "eva@example.org";
  const eva = await operator(service, email, "sales");
  const { secret } = await setFactor(eva, clock);
  clock.advance(minuteMs);
  const thief = new Operator(service);
  const change = (current: string) => eva.call("session.changePassword", { current, password: "another long phrase" });
  for (let tries = 0; tries < 4; tries += 1) expect((await thief.signIn(email, "wrong")).status).toBe(401);
  for (let tries = 0; tries < 3; tries += 1) expect((await signIn(thief, email, "000000")).status).toBe(400);
  for (let tries = 0; tries < 3; tries += 1) expect((await change("wrong")).status).toBe(400);
  const refused = await signIn(thief, email, codeOf(secret, clock.now()));
  expect([refused.status, refused.code]).toEqual([429, "TOO_MANY_REQUESTS"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  const throttled = await change(password);
  expect([throttled.status, Number(throttled.headers.get("retry-after")) > 0]).toEqual([429, true]);
  expect((await eva.call("session.me")).data).not.toBeNull();
  clock.advance(16 * minuteMs);
  expect((await signIn(thief, email, codeOf(secret, clock.now()))).status).toBe(200);
  // What the throttle refuses counts too: the alert asks for more tries than it lets through.
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toContain('operator_actions_total{action="sign-in.failed"} 12\n');
  await service.stop();
  const failed = (await auditOf(service)).filter(({ action }) => action === "sign-in.failed");
  expect(failed.map(({ operator: name, detail }) => [name, detail])).toEqual([[email, { count: 10, throttled: 2 }]]);
});

test("a right password without a code is asked for the code, however often, and counts as no failure", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock });
  const { secret } = await setFactor(await operator(service, "eva@example.org", "sales"), clock);
  clock.advance(minuteMs);
  const other = new Operator(service);
  for (let tries = 0; tries < 12; tries += 1) {
    expect((await signIn(other, "eva@example.org", " ")).issues?.[0]?.path).toEqual(["code"]);
  }
  expect((await signIn(other, "eva@example.org", codeOf(secret, clock.now()))).status).toBe(200);
});

test("an invitation that replaces a password does not replace the second factor", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock });
  const eva = await operator(service, "eva@example.org", "sales");
  const { secret } = await setFactor(eva, clock);
  const token = await invite(service, "eva@example.org", "sales");
  const other = new Operator(service);
  const accepted = await other.call("session.acceptInvitation", { token, password: "another long phrase" });
  expect([accepted.status, accepted.data, other.cookie]).toEqual([200, null, null]);
  clock.advance(minuteMs);
  const typed = { email: "eva@example.org", password: "another long phrase" };
  expect((await other.call("session.signIn", typed)).issues?.[0]?.path).toEqual(["code"]);
  expect((await other.call("session.signIn", { ...typed, code: codeOf(secret, clock.now()) })).status).toBe(200);
});

test("where it is required, an administrator does nothing else before it is set", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock, env: { CONSOLE_TOTP: "required" } });
  const admin = await operator(service, "admin@example.org", "admin");
  const sales = await operator(service, "sales@example.org", "sales");
  const me = { email: "admin@example.org", role: "admin" };
  expect((await admin.call("session.me")).data).toEqual({ ...me, mustSetSecondFactor: true });
  const refused = await admin.call("operators.list");
  expect([refused.status, refused.message]).toEqual([403, "Please set up a second factor first."]);
  expect((await admin.fetch("/console/exports/audit.csv")).status).toBe(403);
  expect((await sales.call("inbox.counts")).status).toBe(200);
  const { secret } = await setFactor(admin, clock);
  expect((await admin.call("session.me")).data).toEqual(me);
  expect((await admin.call("operators.list")).status).toBe(200);
  clock.advance(minuteMs);
  const elsewhere = await signIn(new Operator(service), "admin@example.org", codeOf(secret, clock.now()));
  expect(elsewhere.data).toEqual(me);
});

test("a link of the command line signs in once, and counts as a second factor", async () => {
  await using service = await startService({ env: { CONSOLE_TOTP: "required" } });
  await operator(service, "admin@example.org", "admin");
  const token = drawSecret();
  {
    await using store = await openStore(service.storage);
    const root = { operator: "command line", at: store.clock.now() };
    const link = { signInLinkHash: hashSecret(token) };
    expect(await store.access.changeOperator("admin@example.org", link, root)).toBe(true);
  }
  const browser = new Operator(service);
  const { data } = await browser.call("session.useSignInLink", { token });
  expect(data).toEqual({ email: "admin@example.org", role: "admin" });
  expect((await browser.call("operators.list")).status).toBe(200);
  expect((await new Operator(service).call("session.useSignInLink", { token })).status).toBe(400);
});

test("an operator sees the own sessions and ends one; an administrator ends all of another's", async () => {
  await using service = await startService();
  const admin = await operator(service, "admin@example.org", "admin");
  const eva = await operator(service, "eva@example.org", "sales");
  const phone = new Operator(service);
  phone.headers["user-agent"] = "Mozilla/5.0 (Android 15; Mobile; rv:146.0) Gecko/146.0 Firefox/146.0";
  await phone.signIn("eva@example.org");
  type Session = { id: string; device: string; network: string; isThis: boolean };
  const list = async (one: Operator) => (await one.call("session.list")).data as readonly Session[];
  const sessions = await list(eva);
  // The one that was used last comes first.
  expect(sessions.map(({ device, network, isThis }) => [device, network, isThis])).toEqual([
    ["Firefox on Android", "127.0.0.0/24", false],
    ["", "127.0.0.0/24", true],
  ]);
  const ofPhone = sessions.find(({ isThis }) => !isThis)!.id;
  expect((await admin.call("session.end", { id: ofPhone })).status).toBe(404);
  expect((await eva.call("session.end", { id: ofPhone })).status).toBe(200);
  expect((await phone.call("inbox.counts")).status).toBe(401);
  expect(await list(eva)).toHaveLength(1);
  expect((await admin.call("operators.endSessions", { email: "eva@example.org" })).status).toBe(200);
  expect((await eva.call("inbox.counts")).status).toBe(401);
  const entry = { operator: "admin@example.org", action: "sign-out.everywhere", subject: "eva@example.org" };
  expect((await auditOf(service)).at(-1)).toMatchObject(entry);
});

async function signedInDevice(service: Service, email: string): Promise<Operator> {
  const one = new Operator(service);
  const init = { method: "POST", ...json({ email, password }) };
  const response = await one.fetch("/console/trpc/session.signIn", init);
  const set = response.headers.getSetCookie().find((cookie) => cookie.startsWith("console-device="));
  expect(set).toMatch(/^console-device=[\w.-]+; Path=\/console; HttpOnly; SameSite=Strict; Max-Age=34560000$/);
  one.cookie = set!.split(";")[0]!;
  return one;
}

test("a device that has signed in before is not locked out by strangers, with another's cookie it is", async () => {
  await using service = await startService();
  await invite(service, "ben@example.org", "sales");
  await operator(service, "eva@example.org", "sales");
  const device = await signedInDevice(service, "eva@example.org");
  await operator(service, "dan@example.org", "sales");
  const other = await signedInDevice(service, "dan@example.org");
  const stranger = new Operator(service);
  for (let tries = 0; tries < 10; tries += 1) await stranger.signIn("eva@example.org", "wrong");
  expect((await stranger.signIn("eva@example.org")).status).toBe(429);
  expect((await other.signIn("eva@example.org")).status).toBe(429);
  expect((await device.signIn("eva@example.org")).status).toBe(200);
});
