// Invitations, passwords, sessions and their cookie.
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { buyer, json, rest } from "../../support/doors.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { auditOf, invite, Operator, operator, password } from "../../support/console/operator.ts";

const hourMs = 60 * 60 * 1000;

/** For what changes nothing that other tests ask for. */
const common = shared(() => startService());

test("who follows an invitation sets a password, is signed in, and can sign in again", async () => {
  await using service = await startService();
  const token = await invite(service, "Anna@example.org", "sales");
  const anna = new Operator(service);
  expect((await anna.call("session.me")).data).toBeNull();
  expect((await anna.call("session.invitation", { token })).data).toEqual({
    email: "Anna@example.org",
    name: null,
    role: "sales",
    expiresAt: expect.closeTo(Date.now() + 7 * 24 * hourMs, -5),
  });
  const accepted = await anna.call("session.acceptInvitation", { token, password });
  expect(accepted.data).toEqual({ email: "Anna@example.org", role: "sales" });
  expect(anna.setCookie).toMatch(/^console-session=[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict$/);
  expect((await anna.call("session.me")).data).toEqual({ email: "Anna@example.org", role: "sales" });

  const again = await anna.call("session.acceptInvitation", { token, password });
  expect([again.status, again.message]).toEqual([400, expect.stringContaining("was used or has expired")]);
  expect((await anna.call("session.invitation", { token })).status).toBe(400);

  const elsewhere = new Operator(service);
  expect((await elsewhere.signIn("anna@example.org")).data).toEqual({ email: "Anna@example.org", role: "sales" });
  expect((await elsewhere.call("inbox.counts")).status).toBe(200);
  const actions = (await auditOf(service)).map(({ action }) => action);
  expect(actions).toEqual(["operator.invite", "operator.accept", "sign-in", "sign-in"]);
});

test("a display name is asked with the invitation, and is changed by its operator only to one line without @", async () => {
  const anna = new Operator(common());
  const token = await invite(common(), "anna@example.org", "sales");
  expect((await anna.call("session.acceptInvitation", { token, password, name: "Anna\nSouza" })).status).toBe(400);
  expect((await anna.call("session.acceptInvitation", { token, password, name: "  Anna Souza " })).status).toBe(200);
  const account = async () => (await anna.call("session.account")).data;
  expect(await account()).toEqual({
    email: "anna@example.org",
    name: "Anna Souza",
    mailAssigned: true,
    hasPassword: true,
  });
  for (const name of ["eva@example.org", "eva\uFE6Bexample.org", "a\u200Fb", "a\u2028b", " ", "a".repeat(101)]) {
    const refused = await anna.call("session.setName", { name });
    expect([name, refused.status, refused.issues?.[0]?.path]).toEqual([name, 400, ["name"]]);
  }
  expect(await account()).toMatchObject({ name: "Anna Souza" });
  expect((await anna.call("session.setName", { name: "Anna S." })).status).toBe(200);
  expect((await anna.call("session.setMailAssigned", { mailAssigned: false })).status).toBe(200);
  expect(await account()).toEqual({
    email: "anna@example.org",
    name: "Anna S.",
    mailAssigned: false,
    hasPassword: true,
  });
  expect((await anna.call("inbox.assignees")).data).toContainEqual({ email: "anna@example.org", name: "Anna S." });
});

test("a weak password is refused beside its field and the invitation stays open", async () => {
  const token = await invite(common(), "weak@example.org", "sales");
  const anna = new Operator(common());
  for (const weak of ["short", "password123456", "weak@example.org", "aaaaaaaaaaaaaaa"]) {
    const refused = await anna.call("session.acceptInvitation", { token, password: weak });
    expect([refused.status, refused.issues?.[0]?.path]).toEqual([400, ["password"]]);
  }
  expect((await anna.call("session.acceptInvitation", { token, password })).status).toBe(200);
});

test("wrong passwords and unknown addresses are answered alike, and both are in the audit log", async () => {
  await using service = await startService();
  await operator(service, "anna@example.org", "sales");
  await invite(service, "ben@example.org", "sales");
  const stranger = new Operator(service);
  const seen = (answer: Awaited<ReturnType<Operator["signIn"]>>) => [answer.status, answer.code, answer.message];
  const wrong = seen(await stranger.signIn("anna@example.org", "wrong password"));
  expect(wrong).toEqual([401, "UNAUTHORIZED", "The e-mail address or the password is wrong."]);
  expect(seen(await stranger.signIn("nobody@example.org"))).toEqual(wrong);
  expect(seen(await stranger.signIn("ben@example.org"))).toEqual(wrong);
  expect(seen(await stranger.signIn("not an address"))).toEqual(wrong);
  expect(stranger.cookie).toBeNull();
  // What was gathered is written at the end.
  await service.stop();
  const failed = (await auditOf(service)).filter(({ action }) => action === "sign-in.failed");
  const counts = Object.fromEntries(failed.map(({ operator: name, detail }) => [name, detail["count"]]));
  expect(counts).toEqual({ "anna@example.org": 1, "ben@example.org": 1, unknown: 2 });
});

test("a right link opens its account where the client address is throttled, a wrong one does not", async () => {
  await using service = await startService();
  const token = await invite(service, "anna@example.org", "sales");
  const anna = new Operator(service);
  for (let at = 0; at < 10; at += 1) await anna.signIn(`${at}@example.org`, "wrong");
  expect((await anna.signIn("anna@example.org")).status).toBe(429);
  expect((await anna.call("session.invitation", { token: "wrong" })).status).toBe(429);
  expect((await anna.call("session.invitation", { token })).status).toBe(200);
  expect((await anna.call("session.acceptInvitation", { token, password })).status).toBe(200);
  expect((await anna.call("inbox.counts")).status).toBe(200);
});

test("a session ends by sign-out, here and everywhere, and by a new password after another invitation", async () => {
  const admin = await operator(common(), "admin@example.org", "admin");
  const [here, there] = [await operator(common(), "two@example.org", "sales"), new Operator(common())];
  there.cookie = here.cookie;
  expect((await here.call("session.signOut")).data).toBeNull();
  expect(here.setCookie).toContain("console-session=; Path=/console; HttpOnly; SameSite=Strict; Max-Age=0");
  expect((await there.call("inbox.counts")).code).toBe("UNAUTHORIZED");

  for (const one of [here, there]) await one.signIn("two@example.org");
  expect((await here.call("session.signOutEverywhere")).status).toBe(200);
  expect((await there.call("inbox.counts")).status).toBe(401);

  await there.signIn("two@example.org");
  const { data } = await admin.call("operators.invite", { email: "two@example.org", role: "sales" });
  const { pathname, hash } = new URL((data as { link: string }).link);
  expect(pathname).toBe("/console/invitation");
  const token = new URLSearchParams(hash.slice(1)).get("token");
  await here.call("session.acceptInvitation", { token, password: "another long phrase" });
  expect((await there.call("inbox.counts")).status).toBe(401);
  expect((await there.signIn("two@example.org")).status).toBe(401);
  await admin.call("operators.remove", { email: "two@example.org" });
  expect((await here.call("inbox.counts")).status).toBe(401);
});

test("a new password needs the current one, ends all other sessions, and is recorded", async () => {
  await using service = await startService();
  const anna = await operator(service, "anna@example.org", "sales");
  const [other, stolen] = [new Operator(service), new Operator(service)];
  await other.signIn("anna@example.org");
  stolen.cookie = anna.cookie;
  const change = (current: string, next: string) => anna.call("session.changePassword", { current, password: next });
  const wrong = await change("wrong password", "another long phrase");
  expect([wrong.status, wrong.issues?.[0]?.message]).toEqual([400, "This is not your current password."]);
  const weak = await change(password, "anna@example.org");
  expect([weak.status, weak.issues?.[0]?.path]).toEqual([400, ["password"]]);
  // The new password is judged only for those who know the current one.
  const both = await change("wrong password", "anna@example.org");
  expect(both.issues?.map(({ path }) => path)).toEqual([["current"]]);
  expect((await other.call("inbox.counts")).status).toBe(200);
  expect((await new Operator(service).signIn("anna@example.org")).status).toBe(200);

  expect((await change(password, "another long phrase")).data).toBeNull();
  expect(anna.cookie).not.toBe(stolen.cookie);
  expect((await anna.call("inbox.counts")).status).toBe(200);
  for (const ended of [other, stolen]) expect((await ended.call("inbox.counts")).status).toBe(401);
  const again = new Operator(service);
  expect((await again.signIn("anna@example.org")).status).toBe(401);
  expect((await again.signIn("anna@example.org", "another long phrase")).status).toBe(200);
  await service.stop();
  const actions = (await auditOf(service)).map(({ action }) => action);
  expect(actions.filter((action) => action === "operator.password")).toHaveLength(1);
  const failed = (await auditOf(service)).filter(({ action }) => action === "sign-in.failed");
  expect(failed.map(({ detail }) => detail["count"])).toEqual([3]);
});

test.each([{ "trpc-accept": "application/jsonl" }, { "trpc-batch-mode": "stream" }])(
  "a sign-in whose answer comes in lines gives its cookie, too: %o",
  async (headers: Record<string, string>) => {
    await operator(common(), "lines@example.org", "sales");
    const browser = new Operator(common(), { "sec-fetch-site": "same-origin", ...headers });
    const inputs = { 1: { email: "lines@example.org", password } };
    const init = { method: "POST", ...json(inputs) };
    const response = await browser.fetch("/console/trpc/session.methods,session.signIn?batch=1", init);
    expect(await response.text()).toContain('"role":"sales"');
    expect(response.headers.getSetCookie()[0]).toMatch(/^console-session=[\w-]{43};/);
    const session = new Operator(common());
    session.cookie = browser.cookie;
    expect((await session.call("inbox.counts")).status).toBe(200);
    const change = { 0: { current: password, password: "another long phrase" } };
    const changed = await browser.fetch("/console/trpc/session.changePassword?batch=1", {
      method: "POST",
      ...json(change),
    });
    await changed.text();
    expect([changed.status, browser.cookie === session.cookie]).toEqual([200, false]);
    session.cookie = browser.cookie;
    expect((await session.call("inbox.counts")).status).toBe(200);
  },
);

test("a sign-in gives a new id and ends the session that the browser had", async () => {
  const anna = await operator(common(), "new@example.org", "sales");
  const before = new Operator(common());
  before.cookie = anna.cookie;
  await anna.signIn("new@example.org");
  expect(anna.cookie).not.toBe(before.cookie);
  expect((await before.call("inbox.counts")).status).toBe(401);
});

test("only pages of the console may call, with JSON", async () => {
  const anna = await operator(common(), "pages@example.org", "sales");
  const foreign = [
    { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    { "sec-fetch-site": "cross-site", origin: common().url },
    { origin: "https://evil.example" },
    { origin: "null" },
    {},
  ];
  for (const headers of foreign) {
    const page = new Operator(common(), headers);
    page.cookie = anna.cookie;
    const { status, code } = await page.call("session.signOut");
    expect([headers, status, code]).toEqual([headers, 403, "FORBIDDEN"]);
  }
  const old = new Operator(common(), { origin: common().url });
  old.cookie = anna.cookie;
  expect((await old.call("inbox.counts")).status).toBe(200);
  for (const [headers, body] of [
    [{ "content-type": "text/plain" }, "{}"],
    [{ "content-type": "application/json", "content-encoding": "gzip" }, gzipSync("{}")],
  ] as const) {
    expect((await anna.fetch("/console/trpc/session.signOut", { method: "POST", headers, body })).status).toBe(415);
  }
  const get = await anna.fetch("/console/trpc/session.me");
  expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
  expect((await anna.call("session.me")).data).not.toBeNull();
});

test("no cookie is read outside of the console", async () => {
  const anna = await operator(common(), "outside@example.org", "admin");
  const send = (headers: Record<string, string>) => rest.send(common(), "marketplace.inquiry", json(buyer, headers));
  const [without, withCookie] = [await send({}), await send({ cookie: anna.cookie ?? "" })];
  expect([withCookie.status, withCookie.headers.getSetCookie()]).toEqual([without.status, []]);
});
