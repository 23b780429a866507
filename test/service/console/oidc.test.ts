// Sign-in by OpenID Connect, against a real provider on the loopback.
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { TOTP } from "otpauth";
import { beforeEach, describe, expect, test } from "vitest";
import { MovableClock } from "../../support/movable-clock.ts";
import { keptLog } from "../../support/kept-log.ts";
import { startService, type Service } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { client, IdentityProvider } from "../../support/console/identity-provider.ts";
import { auditOf, invite, Operator, operator } from "../../support/console/operator.ts";

const secrets = { OIDC_CLIENT_ID: client.id, OIDC_CLIENT_SECRET: client.secret };
const envOf = (issuer: string) => ({ OIDC_ISSUER: issuer, ...secrets });

const provider = shared(() => IdentityProvider.open(() => `${service().url}/console/oidc/callback`));
const service: () => Service = shared(() => startService({ env: envOf(provider().issuer) }));
let subject = 0;

beforeEach(() => {
  subject += 1;
  provider().person = { subject: `person ${subject}` };
});

async function openPair({ env = {}, path = "" } = {}) {
  const opened = new AsyncDisposableStack();
  const only = opened.use(await IdentityProvider.open(() => `${one.url}/console/oidc/callback`, path));
  const one: Service = opened.use(await startService({ env: { ...envOf(only.issuer), ...env } }));
  return { only, one, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** A browser's way to the provider and back; answers what the provider sends it back to. */
async function throughProvider(location: string, target = service()): Promise<string> {
  const jar = new Map<string, string>();
  let at = location;
  for (let hops = 0; hops < 10 && !at.startsWith(target.url); hops += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(at, { redirect: "manual", headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      jar.set(name, value);
    }
    at = new URL(response.headers.get("location") ?? "", at).href;
  }
  return at;
}

const start = (browser: Operator, token = "") =>
  browser.fetch("/console/oidc/start", { method: "POST", body: new URLSearchParams({ token }) });

/** Begins a sign-in in a browser and goes to the provider; answers the address of the return. */
async function begin(browser: Operator, target = service(), token?: string): Promise<URL> {
  const started = await start(browser, token);
  expect(started.status).toBe(303);
  return new URL(await throughProvider(started.headers.get("location")!, target));
}

const finish = (browser: Operator, { pathname, search }: URL) => browser.fetch(pathname + search);

async function signIn({ browser = new Operator(service()), token }: { browser?: Operator; token?: string } = {}) {
  const response = await finish(browser, await begin(browser, service(), token));
  const session = response.headers.getSetCookie().find((one) => one.startsWith("console-session="));
  if (session !== undefined) browser.cookie = session.split(";")[0]!;
  return { browser, response, session };
}

test("is offered where it is configured", async () => {
  expect((await new Operator(service()).call("session.methods")).data).toEqual({ password: true, oidc: true });
  await using plain = await startService();
  expect((await new Operator(plain).call("session.methods")).data).toEqual({ password: true, oidc: false });
  expect((await fetch(`${plain.url}/console/oidc/start`, { method: "POST" })).status).toBe(404);
});

test("binds the account with the invitation, and from then on signs in by the account", async () => {
  const token = await invite(service(), "anna@example.org", "sales");
  Object.assign(provider().person, { email: "Anna@example.org" });
  // The address alone is not enough.
  expect((await signIn()).response.status).toBe(403);
  const { browser, response, session } = await signIn({ token });
  expect([response.status, response.headers.get("location")]).toEqual([302, `${service().url}/console`]);
  expect(session).toMatch(/^console-session=[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict$/);
  expect((await browser.call("session.me")).data).toEqual({ email: "anna@example.org", role: "sales" });

  // The address at the provider may change; the account stays the operator's.
  provider().person = { subject: provider().person.subject, email: "anna.new@example.org" };
  const again = await signIn();
  expect((await again.browser.call("session.me")).data).toEqual({ email: "anna@example.org", role: "sales" });

  // Another account with the same address is another person.
  provider().person = { subject: "impostor", email: "anna@example.org" };
  expect((await signIn()).response.status).toBe(403);
  const actions = (await auditOf(service())).filter(({ operator: name }) => name === "anna@example.org");
  expect(actions.map(({ action }) => action)).toEqual(["operator.bind", "sign-in", "sign-in"]);
});

test.each([
  ["Cora Lind", "Cora Lind"],
  ["cora@example.org", null],
])("with an invitation, the provider's name %s is the display name %s", async (name, shown) => {
  const address = `cora-${subject}@example.org`;
  const token = await invite(service(), address, "sales");
  Object.assign(provider().person, { email: address, name });
  const { browser } = await signIn({ token });
  expect((await browser.call("session.account")).data).toMatchObject({ name: shown });
});

test("ends the session that the browser had, once the sign-in succeeds, although its cookie does not come back", async () => {
  const token = await invite(service(), "cleo@example.org", "sales");
  Object.assign(provider().person, { email: "cleo@example.org" });
  const { browser } = await signIn({ token });
  const former = new Operator(service());
  former.cookie = browser.cookie;
  const back = await begin(browser);
  expect(browser.cookie).not.toBe(former.cookie);
  back.searchParams.set("state", "another");
  expect((await finish(browser, back)).status).toBe(400);
  expect((await former.call("inbox.counts")).status).toBe(200);

  browser.cookie = former.cookie;
  await signIn({ browser });
  expect((await browser.call("inbox.counts")).status).toBe(200);
  expect((await former.call("inbox.counts")).status).toBe(401);
  const actions = (await auditOf(service())).filter(({ operator: name }) => name === "cleo@example.org");
  expect(actions.map(({ action }) => action)).toEqual(["operator.bind", "sign-in", "sign-in", "sign-out"]);
});

test("keeps what it needs in a cookie of its own for ten minutes", async () => {
  const browser = new Operator(service());
  const started = await start(browser);
  const cookie = /^console-oidc=[\w-]+\.[\w-]{43}; Path=\/console\/oidc; HttpOnly; SameSite=Lax; Max-Age=600$/;
  expect(browser.setCookie).toMatch(cookie);
  const location = new URL(started.headers.get("location")!);
  expect(Object.fromEntries(location.searchParams)).toMatchObject({
    response_type: "code",
    code_challenge_method: "S256",
    scope: "openid email profile",
    max_age: "43200",
    redirect_uri: `${service().url}/console/oidc/callback`,
    state: expect.stringMatching(/.{40}/),
    nonce: expect.stringMatching(/.{40}/),
  });
});

test("is begun by a page of the console only", async () => {
  const link = await fetch(`${service().url}/console/oidc/start`, { redirect: "manual" });
  expect([link.status, link.headers.getSetCookie()]).toEqual([404, []]);
  for (const site of ["cross-site", "same-site", "none"]) {
    const stranger = new Operator(service(), { "sec-fetch-site": site });
    expect((await start(stranger)).status).toBe(403);
    expect(stranger.cookie).toBeNull();
  }
});

test("binds an account to an operator with a password once that password was given", async () => {
  const email = "dana@example.org";
  const dana = await operator(service(), email, "sales");
  await dana.call("session.signOut");
  Object.assign(provider().person, { email });
  const browser = new Operator(service());
  const first = await finish(browser, await begin(browser));
  expect([first.status, first.headers.get("location")]).toEqual([302, `${service().url}/console#connect`]);
  const set = first.headers.getSetCookie();
  expect(set.some((one) => one.startsWith("console-session="))).toBe(false);
  const binding = set.find((one) => one.startsWith("console-binding="))!;
  expect(binding).toMatch(/; Path=\/console; HttpOnly; SameSite=Strict; Max-Age=600$/);

  // Neither another operator's password nor a cookie that was changed binds it.
  await operator(service(), "otto@example.org", "sales");
  const other = new Operator(service());
  other.cookie = binding.split(";")[0]!;
  expect((await other.signIn("otto@example.org")).status).toBe(200);
  browser.cookie = `${binding.split(";")[0]!}x`;
  expect((await browser.signIn(email)).status).toBe(200);
  const again = new Operator(service());
  expect((await finish(again, await begin(again))).headers.get("location")).toContain("#connect");

  browser.cookie = binding.split(";")[0]!;
  expect((await browser.signIn(email)).status).toBe(200);
  const bound = await signIn();
  expect((await bound.browser.call("session.me")).data).toEqual({ email, role: "sales" });
});

test("takes no address for another that only looks alike", async () => {
  const token = await invite(service(), "mike@example.org", "admin");
  Object.assign(provider().person, { email: "mi\u212Ae@example.org" });
  expect((await signIn({ token })).response.status).toBe(403);
  expect((await signIn()).response.status).toBe(403);
});

test("refuses what another program wrote into the cookie", async () => {
  const browser = new Operator(service());
  const back = await begin(browser);
  const [name, value = ""] = browser.cookie!.split("=");
  const [kept = ""] = value.split(".");
  const pending = JSON.parse(Buffer.from(kept, "base64url").toString()) as object;
  const forged = Buffer.from(JSON.stringify({ ...pending, former: "0".repeat(64) })).toString("base64url");
  browser.cookie = `${name}=${forged}.${value.split(".")[1]}`;
  expect((await finish(browser, back)).status).toBe(400);
});

test("signs in where passwords are off, and no password does", async () => {
  await using pair = await openPair({ env: { CONSOLE_PASSWORDS: "off" } });
  const { only, one } = pair;
  const token = await invite(one, "eva@example.org", "admin");
  const browser = new Operator(one);
  expect((await browser.call("session.methods")).data).toEqual({ password: false, oidc: true });
  for (const refused of [
    await browser.call("session.acceptInvitation", { token, password: "vermilion kettle 41" }),
    await browser.signIn("eva@example.org"),
  ]) {
    expect([refused.status, refused.message]).toEqual([403, expect.stringContaining("Passwords are switched off")]);
  }
  only.person = { subject: "eva", email: "eva@example.org" };
  const response = await finish(browser, await begin(browser, one, token));
  expect(response.headers.get("location")).toBe(`${one.url}/console`);
});

const codeOf = (secret: string, at: number) => new TOTP({ secret }).generate({ timestamp: at });

/** An operator who signs in by the provider, with a second factor that is set here. */
async function withFactor(env = {}) {
  const opened = new AsyncDisposableStack();
  const clock = new MovableClock();
  const only = opened.use(await IdentityProvider.open(() => `${one.url}/console/oidc/callback`));
  const one: Service = opened.use(await startService({ env: { ...envOf(only.issuer), ...env }, clock }));
  only.person = { subject: "eva", email: "eva@example.org", amr: ["pwd"] };
  const token = await invite(one, "eva@example.org", "admin");
  const eva = new Operator(one);
  await enter(eva, await begin(eva, one, token));
  const { secret } = (await eva.call("secondFactor.begin", { password: "" })).data as { secret: string };
  const set = await eva.call("secondFactor.confirm", { password: "", secret, code: codeOf(secret, clock.now()) });
  if (set.status !== 200) throw new Error(set.message);
  clock.advance(60_000);
  const throughTheProvider = async (browser: Operator) => enter(browser, await begin(browser, one));
  return { only, one, eva, clock, secret, throughTheProvider, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Comes back from the provider, and keeps the cookie of a session or of what is still to be given. Answers where it leads to. */
async function enter(browser: Operator, back: URL): Promise<string | null> {
  const response = await finish(browser, back);
  const kept = response.headers.getSetCookie().find((one) => /^console-(?:session|binding)=[^;]/.test(one));
  browser.cookie = kept?.split(";")[0] ?? null;
  return response.headers.get("location");
}

test("a second factor that is set is asked for, once and within ten minutes, where the provider names none", async () => {
  await using scene = await withFactor({ CONSOLE_TOTP: "required" });
  const { one, clock, secret, throughTheProvider } = scene;
  const browser = new Operator(one);
  expect(await throughTheProvider(browser)).toBe(`${one.url}/console#code`);
  expect(browser.cookie).toMatch(/^console-binding=/);
  for (const call of ["operators.list", "inbox.counts", "session.account"])
    expect((await browser.call(call)).status).toBe(401);
  expect((await browser.call("session.me")).data).toBeNull();
  const enterCode = (code: string) => browser.call("session.enterCode", { code });
  const wrong = await enterCode("000000");
  expect([wrong.status, wrong.issues?.[0]?.path]).toEqual([400, ["code"]]);
  expect((await enterCode(" ")).issues?.[0]?.path).toEqual(["code"]);
  const kept = browser.cookie;
  const code = codeOf(secret, clock.now());
  expect((await enterCode(code)).data).toEqual({ email: "eva@example.org", role: "admin" });
  expect(browser.setCookie).toMatch(/^console-(?:session|binding)=/);

  // The code is spent, and the account that waits is forgotten in time.
  const again = new Operator(one);
  again.cookie = kept;
  expect((await again.call("session.enterCode", { code })).status).toBe(400);
  clock.advance(10 * 60_000);
  const late = await again.call("session.enterCode", { code: codeOf(secret, clock.now()) });
  expect([late.status, late.message]).toEqual([400, expect.stringContaining("could not be completed")]);
  expect((await new Operator(one).call("session.enterCode", { code: codeOf(secret, clock.now()) })).status).toBe(400);
  await one.stop();
  const failed = (await auditOf(one)).filter(({ action }) => action === "sign-in.failed");
  expect(failed.map(({ operator: name, detail }) => [name, detail])).toEqual([["eva@example.org", { count: 2 }]]);
});

test("wrong codes behind the provider are throttled", async () => {
  await using scene = await withFactor();
  const { one, clock, secret, throughTheProvider } = scene;
  const browser = new Operator(one);
  await throughTheProvider(browser);
  for (let tries = 0; tries < 10; tries += 1)
    expect((await browser.call("session.enterCode", { code: "000000" })).status).toBe(400);
  const refused = await browser.call("session.enterCode", { code: codeOf(secret, clock.now()) });
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
});

test.each([
  [{ amr: ["pwd", "mfa"] }, true],
  [{ amr: ["otp"] }, true],
  [{ amr: ["hwk", "user"] }, true],
  [{ amr: ["swk"] }, true],
  [{ amr: ["face", "pin"] }, true],
  [{ amr: ["fpt"] }, true],
  [{ amr: ["pwd", "sms"] }, true],
  [{ acr: "phrh" }, true],
  [{ acr: "http://schemas.openid.net/pape/policies/2007/06/multi-factor", amr: ["pwd"] }, true],
  [{}, false],
  [{ amr: [] }, false],
  [{ amr: ["pwd"] }, false],
  [{ amr: ["pin", "kba"] }, false],
  [{ amr: ["pwd", "geo", "rba", "user", "wia"] }, false],
  [{ amr: ["MFA"] }, false],
  [{ acr: "1" }, false],
  [{ acr: "mfa" }, false],
])("a provider that says %o names a second factor: %s", async (said, isNamed) => {
  const { only, one, throughTheProvider } = scene();
  only.person = { subject: "eva", email: "eva@example.org", ...said };
  const browser = new Operator(one);
  expect(await throughTheProvider(browser)).toBe(`${one.url}/console${isNamed ? "" : "#code"}`);
  expect((await browser.call("operators.list")).status).toBe(isNamed ? 200 : 401);
});

const scene = shared(() => withFactor({ CONSOLE_TOTP: "required" }));

test.each(["on", "off"])(
  "where it is required, an administrator whom the provider alone vouches for sets a factor first; passwords are %s",
  async (passwords) => {
    await using pair = await openPair({ env: { CONSOLE_TOTP: "required", CONSOLE_PASSWORDS: passwords } });
    const { only, one } = pair;
    only.person = { subject: "ada", email: "ada@example.org", amr: ["pwd"] };
    const token = await invite(one, "ada@example.org", "admin");
    const ada = new Operator(one);
    await enter(ada, await begin(ada, one, token));
    expect((await ada.call("session.me")).data).toMatchObject({ mustSetSecondFactor: true });
    expect((await ada.call("operators.list")).status).toBe(403);
    expect((await ada.call("session.account")).data).toMatchObject({ hasPassword: false });
    const { secret } = (await ada.call("secondFactor.begin", { password: "" })).data as { secret: string };
    const confirm = { password: "", secret, code: codeOf(secret, Date.now()) };
    expect((await ada.call("secondFactor.confirm", confirm)).status).toBe(200);
    expect((await ada.call("operators.list")).status).toBe(200);
    only.person = { ...only.person, amr: ["pwd", "otp"] };
    const again = new Operator(one);
    await enter(again, await begin(again, one));
    expect((await again.call("operators.list")).status).toBe(200);
  },
);

test("without a password a second factor is changed only soon after the sign-in, and a password is not set", async () => {
  await using alone = await withFactor();
  const { eva, clock } = alone;
  const refused = await eva.call("session.changePassword", { current: "", password: "another long phrase" });
  expect([refused.status, refused.issues?.[0]?.path]).toEqual([400, ["current"]]);
  clock.advance(9 * 60_000);
  for (const [call, input] of [
    ["begin", { password: "" }],
    ["remove", { password: "any" }],
    ["confirm", { password: "", secret: "A".repeat(32), code: "000000" }],
  ] as const) {
    const late = await eva.call(`secondFactor.${call}`, input);
    expect([call, late.status, late.issues?.[0]?.path]).toEqual([call, 400, ["password"]]);
  }
  expect((await eva.call("secondFactor.get")).data).toEqual({ isSet: true });
});

test("the page may send its form to the provider", async () => {
  const page = await fetch(`${service().url}/console`);
  const { origin } = new URL(provider().issuer);
  expect(page.headers.get("content-security-policy")).toContain(`form-action 'self' ${origin};`);
});

test("a sign-out says where the provider's own session ends", async () => {
  const one = await operator(service(), "sofia@example.org", "sales");
  const { data } = await one.call("session.signOut");
  const url = new URL((data as { providerUrl: string }).providerUrl);
  expect([url.origin, url.searchParams.get("client_id")]).toEqual([new URL(provider().issuer).origin, client.id]);
  expect((await fetch(url)).ok).toBe(true);
});

test.each([
  ["an address that no operator has", { email: "stranger@example.org" }],
  ["an address that is not verified", { email: "ben@example.org", emailVerified: false }],
  ["no address", {}],
])("refuses %s, and makes no operator", async (_what, person) => {
  Object.assign(provider().person, person);
  const token = await invite(service(), "ben@example.org", "sales");
  const { response, session, browser } = await signIn({ token });
  expect([response.status, session]).toEqual([403, undefined]);
  const message = expect.stringContaining("not known here") as string;
  expect(await response.json()).toMatchObject({ code: "FORBIDDEN", message });
  expect((await browser.call("session.me")).data).toBeNull();
});

test("tells a person who is refused that this was a sign-in, not a form", async () => {
  // The provider vouches for an address that no operator has.
  Object.assign(provider().person, { email: "uninvited@example.org" });
  const browser = new Operator(service());
  const back = await begin(browser);
  const page = await browser.fetch(back.pathname + back.search, { headers: { accept: "text/html" } });
  expect([page.status, await page.text()]).toEqual([403, expect.stringContaining("You are not signed in</h1>")]);
});

test("refuses an answer that does not fit what the browser began", async () => {
  const token = await invite(service(), "carl@example.org", "sales");
  Object.assign(provider().person, { email: "carl@example.org" });
  const [browser, other] = [new Operator(service()), new Operator(service())];
  const mine = await begin(browser, service(), token);
  await begin(other, service(), token);
  const changed = (name: string, value: string) => {
    const url = new URL(mine);
    url.searchParams.set(name, value);
    return url;
  };
  const kept = browser.cookie;
  const refusals = [
    ["another browser's", other, mine],
    ["no browser's", new Operator(service()), mine],
    ["another state", browser, changed("state", "x")],
    ["another code", browser, changed("code", "x")],
    ["another issuer", browser, changed("iss", "https://evil.example")],
    ["the provider's refusal", browser, new URL(`${mine.origin}${mine.pathname}?error=access_denied`)],
  ] as const;
  for (const [what, one, url] of refusals) {
    if (one === browser) browser.cookie = kept;
    const response = await finish(one, url);
    expect([what, response.status]).toEqual([what, 400]);
  }
  browser.cookie = "console-oidc=bm90IG91cnM";
  expect((await finish(browser, mine)).status).toBe(400);
});

test("refuses an ID token that is not signed with a key of the provider", async () => {
  await using pair = await openPair();
  const { only: forged, one } = pair;
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  forged.jwks = { keys: [{ ...publicKey.export({ format: "jwk" }), alg: "RS256", use: "sig" }] };
  const token = await invite(one, "eve@example.org", "sales");
  forged.person = { subject: "eve", email: "eve@example.org" };
  const browser = new Operator(one);
  const back = await begin(browser, one, token);
  expect((await finish(browser, back)).status).toBe(400);
});

test("says so when the provider does not answer", async () => {
  const { lines, log } = keptLog("warn");
  await using alone = await startService({ env: envOf("http://127.0.0.1:9"), log });
  const response = await start(new Operator(alone));
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await response.json()).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  const told = { code: expect.any(String) as string, msg: "a sign-in with OpenID Connect failed" };
  expect(lines).toContainEqual(expect.objectContaining(told));
});

test("a sign-out does not wait for a provider that says nothing", async () => {
  const asked = Promise.withResolvers<Socket>();
  await using silent = createServer((line) => asked.resolve(line.resume()));
  await once(silent.listen(0, "127.0.0.1"), "listening");
  const { port } = silent.address() as AddressInfo;
  await using alone = await startService({ env: envOf(`http://127.0.0.1:${port}`) });
  const one = await operator(alone, "sofia@example.org", "sales");
  expect((await one.call("session.signOut")).data).toBeNull();
  // The service still waits for it.
  const line = await asked.promise;
  expect(line.readableEnded).toBe(false);
  line.destroy();
});

describe("a provider below a path that ends in a slash", () => {
  const path = "/application/o/submissions/";

  test("signs operators in", async () => {
    await using pair = await openPair({ path });
    const { only: below, one } = pair;
    const token = await invite(one, "dora@example.org", "sales");
    below.person = { subject: "dora", email: "dora@example.org" };
    const browser = new Operator(one);
    const back = await begin(browser, one, token);
    expect((await finish(browser, back)).headers.get("location")).toBe(`${one.url}/console`);
  });

  test("is told from one of another name, and the log says why", async () => {
    await using below = await IdentityProvider.open(() => "http://127.0.0.1:9/", path);
    const { lines, log } = keptLog("warn");
    await using one = await startService({ env: envOf(below.issuer.replace(/\/$/, "")), log });
    expect((await start(new Operator(one))).status).toBe(503);
    const told = { code: "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED" };
    expect(lines).toContainEqual(expect.objectContaining(told));
  });
});
