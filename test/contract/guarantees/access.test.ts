// What the port promises about operators, sessions and tokens.
import { expect } from "vitest";
import { invitationMs, sessionIdleMs, sessionMs, signInLinkMs } from "../../../server/src/storage/access-store.ts";
import type { Role } from "../../../shared/src/roles.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import { allMails, lease, minute, noon, settle } from "../records.ts";
import { contractTest as test } from "../engine-under-test.ts";

const root = { operator: "command line", at: noon };
const origin = { device: "Firefox on Linux", network: "192.0.2.0/24", isStrong: false };
/** No operator has this address. */
const unknown = "unknown@example.org";
const identity = { issuer: "https://id.example.org", subject: "42" };

async function join(store: Store, email: string, role: Role) {
  await store.access.changeOperator(email, { role, invitationHash: `invitation of ${email}` }, root);
  const operator = await store.access.acceptInvitation(`invitation of ${email}`, "phc", noon);
  if (operator === null) throw new Error("The invitation does not work.");
  return operator;
}

const actionsOf = async (store: Store) =>
  (await store.desk.listAudit({})).rows.map(({ action }) => action).toReversed();

test("an invitation with its token is mailed once, and a later one takes the place of a mail that waits", async ({
  store,
}) => {
  const invite = (invitationHash: string, token?: string) =>
    store.access.changeOperator("eva@example.org", { role: "sales", invitationHash, ...(token && { token }) }, root);
  const invitations = async () => (await store.mails.claim(noon, 10, lease)).map(({ id, about }) => ({ id, about }));
  await invite("first", "one");
  await invite("second", "two");
  const [mail, ...others] = await invitations();
  expect(others).toEqual([]);
  expect(mail?.about).toEqual({ invitation: { email: "eva@example.org", token: "two" } });
  await settle(store, { sent: [mail!] });
  // The token goes with the sending: a second mail cannot be written.
  const [row] = await allMails(store);
  expect(await store.desk.sendAgain(wholeScope, row!.id, ["sent"], root)).toBe("not-sendable");
  await invite("third");
  expect(await invitations()).toEqual([]);
  await invite("fourth", "four");
  await store.access.changeOperator("eva@example.org", { removed: true }, root);
  expect(await invitations()).toEqual([]);
});

test("an invitation works once, for seven days, and the operator is active after it", async ({ store }) => {
  const { access, desk } = store;
  await access.changeOperator("Eva@example.org", { role: "sales", invitationHash: "hash" }, root);
  expect(await access.listOperators()).toEqual([
    { email: "Eva@example.org", name: null, role: "sales", state: "invited", createdAt: noon },
  ]);
  expect(await access.findInvited("hash", noon + invitationMs - 1)).toMatchObject({
    email: "Eva@example.org",
    invitationExpiresAt: noon + invitationMs,
  });
  expect(await access.findInvited("hash", noon + invitationMs)).toBeNull();
  expect(await access.acceptInvitation("hash", "phc", noon + invitationMs)).toBeNull();
  expect(await access.acceptInvitation("other", "phc", noon)).toBeNull();
  expect(await access.acceptInvitation("hash", "phc", noon)).toMatchObject({ role: "sales", password: "phc" });
  expect(await access.acceptInvitation("hash", "phc", noon)).toBeNull();
  expect(await access.listOperators()).toMatchObject([{ state: "active" }]);
  expect(await access.findOperator("EVA@example.org")).toMatchObject({ password: "phc" });
  expect((await desk.listAudit({})).rows).toMatchObject([
    { operator: "Eva@example.org", action: "operator.accept" },
    { operator: "command line", action: "operator.invite", subject: "eva@example.org", detail: { role: "sales" } },
  ]);
});

test("a second invitation replaces the first, and the old password works until it is accepted", async ({ store }) => {
  const { access } = store;
  const { id } = await join(store, "eva@example.org", "sales");
  await access.createSession("cookie", { id, password: "phc" }, origin, noon);
  await access.changeOperator("eva@example.org", { role: "admin", invitationHash: "second" }, root);
  expect(await access.findOperator("eva@example.org")).toMatchObject({ id, role: "admin", password: "phc" });
  expect(await access.findSession("cookie", noon)).not.toBeNull();
  await access.changeOperator("eva@example.org", { role: "admin", invitationHash: "third" }, root);
  expect(await access.findInvited("second", noon)).toBeNull();
  expect(await access.acceptInvitation("third", "new phc", noon)).toMatchObject({ id });
  expect(await access.findSession("cookie", noon)).toBeNull();
});

test("a display name comes with the invitation, stays with the next, is changed, is removed", async ({ store }) => {
  const { access, desk } = store;
  const email = "eva@example.org";
  const nameNow = async () => (await access.listOperators()).map(({ name }) => name);
  await access.changeOperator(email, { role: "sales", invitationHash: "first" }, root);
  expect(await access.acceptInvitation("first", "phc", noon, "Eva Novák")).toMatchObject({ name: "Eva Novák" });
  await access.changeOperator(email, { role: "sales", invitationHash: "second" }, root);
  expect(await access.acceptInvitation("second", "phc", noon)).toMatchObject({ name: "Eva Novák", mailAssigned: 1 });
  const actor = { operator: email, at: noon };
  expect(await access.changeOperator(email, { name: "Eva" }, actor)).toBe(true);
  expect(await nameNow()).toEqual(["Eva"]);
  expect(await access.changeOperator(email, { name: null }, actor)).toBe(true);
  expect(await nameNow()).toEqual([null]);
  expect(await access.changeOperator(email, { mailAssigned: false }, actor)).toBe(true);
  expect(await access.findOperator(email)).toMatchObject({ mailAssigned: 0 });
  const changes = (await desk.listAudit({})).rows.filter(({ action }) => action !== "operator.invite");
  expect(changes.toReversed()).toMatchObject([
    { action: "operator.accept", detail: { name: "Eva Novák" } },
    { action: "operator.accept", detail: {} },
    { ...actor, action: "operator.name", subject: email, detail: { from: "Eva Novák", to: "Eva" } },
    { action: "operator.name", detail: { from: "Eva", to: null } },
    { ...actor, action: "operator.mail-assigned", subject: email, detail: { to: false } },
  ]);
});

test("a session ends after 12 hours without use, and its use is recorded once a minute", async ({ tested }) => {
  const { store } = tested;
  const { access } = store;
  const { id, email } = await join(store, "eva@example.org", "sales");
  await access.createSession("cookie", { id, password: "phc" }, origin, noon);
  const lastUses = () => tested.query("SELECT CAST(seen_at AS TEXT) AS at FROM session");
  expect(await access.findSession("cookie", noon + minute - 1)).toMatchObject({ id, email, role: "sales" });
  expect(await lastUses()).toEqual([{ at: String(noon) }]);
  const seenAt = noon + minute;
  for (const now of [seenAt, seenAt + 1]) {
    expect(await access.findSession("cookie", now)).toMatchObject({ email });
    expect(await lastUses()).toEqual([{ at: String(seenAt) }]);
  }
  // What a page asks for by itself is no use.
  expect(await access.findSession("cookie", seenAt + sessionIdleMs - 1, false)).toMatchObject({ email });
  expect(await lastUses()).toEqual([{ at: String(seenAt) }]);
  expect(await access.findSession("cookie", seenAt + sessionIdleMs)).toBeNull();
  expect(await access.findSession("other", noon)).toBeNull();
  await access.createSession("later", { id, password: "phc" }, origin, seenAt + sessionIdleMs);
  expect(await tested.query("SELECT id_hash FROM session")).toEqual([{ id_hash: "later" }]);
});

test("a session ends after 30 days, however often it is used", async ({ store }) => {
  const { access } = store;
  const { id } = await join(store, "eva@example.org", "sales");
  await access.createSession("cookie", { id, password: "phc" }, origin, noon);
  for (let at = noon; at < noon + sessionMs; at += sessionIdleMs - 1) {
    expect(await access.findSession("cookie", at)).not.toBeNull();
  }
  expect(await access.findSession("cookie", noon + sessionMs - 1)).not.toBeNull();
  expect(await access.findSession("cookie", noon + sessionMs)).toBeNull();
  expect(await access.listSessions(id, noon + sessionMs)).toEqual([]);
});

test("the sessions of an operator are listed and ended one by one, and no other's", async ({ store }) => {
  const { access } = store;
  const [eva, ben] = [await join(store, "eva@example.org", "sales"), await join(store, "ben@example.org", "sales")];
  const actor = { operator: eva.email, at: noon };
  const [first, second, third] = ["1", "2", "3"].map((digit) => digit.repeat(64)) as [string, string, string];
  await access.createSession(first, { id: eva.id, password: "phc" }, origin, noon);
  await access.createSession(second, { id: eva.id, password: "phc" }, { ...origin, isStrong: true }, noon + minute);
  await access.createSession(third, { id: ben.id, password: "phc" }, origin, noon);
  const { device, network } = origin;
  const sessions = await access.listSessions(eva.id, noon);
  expect(sessions).toEqual([
    { id: "2".repeat(16), idHash: second, device, network, createdAt: noon + minute, seenAt: noon + minute },
    { id: "1".repeat(16), idHash: first, device, network, createdAt: noon, seenAt: noon },
  ]);
  expect(await access.findSession(second, noon)).toMatchObject({ isStrong: true, totpSecret: null });
  expect(await access.endSessions({ operatorId: eva.id, id: "3".repeat(16) }, actor)).toBe(0);
  expect(await access.endSessions({ operatorId: eva.id, id: "1".repeat(16) }, actor)).toBe(1);
  expect(await access.findSession(first, noon)).toBeNull();
  expect(await access.findSession(third, noon)).not.toBeNull();
  expect(await access.listSessions(eva.id, noon)).toHaveLength(1);
  expect((await actionsOf(store)).filter((action) => action === "sign-out")).toHaveLength(1);
});

test("a new password, set or accepted with an invitation, ends the operator's tokens", async ({ store }) => {
  const { access } = store;
  const { email } = await join(store, "eva@example.org", "admin");
  const actor = { operator: email, at: noon };
  const make = (hash: string) => access.createToken({ hash, name: hash, role: "sales", expiresAt: null }, actor);
  await make("first");
  await access.changeOperator(email, { password: "other phc" }, actor);
  expect(await access.findToken("first", noon)).toBeNull();
  await make("second");
  await access.changeOperator(email, { role: "admin", invitationHash: "hash" }, root);
  expect(await access.findToken("second", noon)).not.toBeNull();
  await access.acceptInvitation("hash", "third phc", noon);
  expect(await access.findToken("second", noon)).toBeNull();
});

test("an invited administrator who never came does not count, and can be removed", async ({ store }) => {
  const { access } = store;
  await join(store, "eva@example.org", "admin");
  await access.changeOperator("ben@example.org", { role: "admin", invitationHash: "hash" }, root);
  expect(await access.changeOperator("eva@example.org", { removed: true }, root)).toBe("last-admin");
  expect(await access.changeOperator("eva@example.org", { role: "sales" }, root)).toBe("last-admin");
  expect(await access.changeOperator("ben@example.org", { removed: true }, root)).toBe(true);
  expect(await access.listOperators()).toHaveLength(1);
});

test("a link signs an operator in once, within 15 minutes", async ({ store }) => {
  const { access } = store;
  const { id, email } = await join(store, "eva@example.org", "sales");
  expect(await access.changeOperator(unknown, { signInLinkHash: "link" }, root)).toBe(false);
  expect(await access.changeOperator(email, { signInLinkHash: "former" }, root)).toBe(true);
  expect(await access.changeOperator(email, { signInLinkHash: "link" }, root)).toBe(true);
  expect(await access.useSignInLink("former", noon)).toBeNull();
  expect(await access.useSignInLink("link", noon + signInLinkMs)).toBeNull();
  expect(await access.useSignInLink("link", noon + signInLinkMs - 1)).toMatchObject({ id, email, password: "phc" });
  expect(await access.useSignInLink("link", noon)).toBeNull();
  expect(await actionsOf(store)).toContain("operator.sign-in-link");
});

test("a link that signs in works no more after a new password, set or accepted with an invitation", async ({
  store,
}) => {
  const { access } = store;
  const { email } = await join(store, "eva@example.org", "sales");
  const newPasswords = {
    set: () => access.changeOperator(email, { password: "other phc" }, root),
    accepted: async () => {
      await access.changeOperator(email, { role: "sales", invitationHash: "hash" }, root);
      return access.acceptInvitation("hash", "third phc", noon);
    },
  };
  for (const [how, change] of Object.entries(newPasswords)) {
    await access.changeOperator(email, { signInLinkHash: how }, root);
    expect(await change()).not.toBe(false);
    expect(await access.useSignInLink(how, noon)).toBeNull();
  }
});

test("an administrator who ends an operator's sessions ends the tokens, the operator's own sign-out does not", async ({
  store,
}) => {
  const { access } = store;
  const { id, email } = await join(store, "eva@example.org", "admin");
  await join(store, "ben@example.org", "admin");
  for (const [hash, creator] of Object.entries({ evas: email, bens: "ben@example.org" })) {
    const token = { hash, name: hash, role: "sales", expiresAt: null } as const;
    await access.createToken(token, { operator: creator, at: noon });
  }
  await access.endSessions({ operatorId: id, id: null }, { operator: email, at: noon });
  expect(await access.findToken("evas", noon)).not.toBeNull();
  await access.endSessions({ operatorId: id, id: null }, { operator: "ben@example.org", at: noon });
  expect([await access.findToken("evas", noon), (await access.listTokens()).length]).toEqual([null, 1]);
});

test("a code of the second factor and a recovery code work once each", async ({ store }) => {
  const { access } = store;
  const { id, email } = await join(store, "eva@example.org", "sales");
  const { id: other } = await join(store, "ben@example.org", "sales");
  expect(await access.useSecondFactor(id, { step: 7 }, noon)).toBe(false);
  const factor = { secret: "ABC", recoveryHashes: ["one", "two"] };
  expect(await access.changeOperator(unknown, { secondFactor: factor }, root)).toBe(false);
  expect(await access.changeOperator(email, { secondFactor: factor }, root)).toBe(true);
  expect(await access.findOperator(email)).toMatchObject({ totpSecret: "ABC" });
  expect(await access.useSecondFactor(id, { step: 7 }, noon)).toBe(true);
  for (const step of [7, 6]) expect(await access.useSecondFactor(id, { step }, noon)).toBe(false);
  expect(await access.useSecondFactor(id, { step: 8 }, noon)).toBe(true);
  expect(await access.useSecondFactor(other, { recoveryHash: "one" }, noon)).toBe(false);
  expect(await access.useSecondFactor(id, { recoveryHash: "one" }, noon)).toBe(true);
  expect(await access.useSecondFactor(id, { recoveryHash: "one" }, noon)).toBe(false);
  expect(await access.changeOperator(email, { secondFactor: null }, root)).toBe(true);
  expect(await access.findOperator(email)).toMatchObject({ totpSecret: null });
  expect(await access.useSecondFactor(id, { recoveryHash: "two" }, noon)).toBe(false);
  expect(
    (await actionsOf(store)).filter((action) => action.startsWith("operator.") && /factor|code/.test(action)),
  ).toEqual(["operator.factor-set", "operator.recovery-code", "operator.factor-removed"]);
});

test("signing out ends one session, signing out everywhere and a new password end all", async ({ store }) => {
  const { access } = store;
  const { id, email } = await join(store, "eva@example.org", "sales");
  const actor = { operator: email, at: noon };
  const create = async (...hashes: string[]) => {
    for (const hash of hashes) await access.createSession(hash, { id, password: "phc" }, origin, noon);
  };
  const alive = async (...hashes: string[]) =>
    (await Promise.all(hashes.map((hash) => access.findSession(hash, noon)))).map((session) => session !== null);
  await create("a", "b", "c");
  await access.endSessions({ idHash: "a" }, actor);
  expect(await alive("a", "b", "c")).toEqual([false, true, true]);
  expect(await access.endSessions({ operatorId: id, id: null }, actor)).toBe(2);
  expect(await alive("b", "c")).toEqual([false, false]);
  await create("d");
  expect(await access.changeOperator(email, { password: "other phc" }, actor)).toBe(true);
  expect(await alive("d")).toEqual([false]);
  expect(await access.changeOperator(unknown, { password: "phc" }, actor)).toBe(false);
  expect((await actionsOf(store)).filter((action) => action.startsWith("sign-"))).toEqual([
    "sign-in",
    "sign-in",
    "sign-in",
    "sign-out",
    "sign-out.everywhere",
    "sign-in",
  ]);
});

test("removal ends sessions and tokens; former passwords and the removed get no session", async ({ store }) => {
  const { access } = store;
  await join(store, "root@example.org", "admin");
  const { id, email } = await join(store, "eva@example.org", "sales");
  await access.createSession("former", { id, password: "former phc" }, origin, noon);
  expect(await access.findSession("former", noon)).toBeNull();
  await access.createSession("cookie", { id, password: "phc" }, origin, noon);
  const token = { hash: "token", name: "Sheet", role: "sales", expiresAt: null } as const;
  await access.createToken(token, { operator: email, at: noon });
  expect(await access.changeOperator("EVA@example.org", { removed: true }, root)).toBe(true);
  expect(await access.changeOperator("eva@example.org", { removed: true }, root)).toBe(false);
  expect(await access.findSession("cookie", noon)).toBeNull();
  expect(await access.findToken("token", noon)).toBeNull();
  await access.createSession("again", { id, password: "phc" }, origin, noon);
  expect(await access.findSession("again", noon)).toBeNull();
  expect(await access.findOperator(email)).toBeNull();
});

test("a new role holds for sessions that are open, and one admin always stays", async ({ store }) => {
  const { access } = store;
  const { id } = await join(store, "eva@example.org", "admin");
  await access.createSession("cookie", { id, password: "phc" }, origin, noon);
  expect(await access.changeOperator("eva@example.org", { role: "sales" }, root)).toBe("last-admin");
  const demoting = { role: "sales", invitationHash: "hash" } as const;
  expect(await access.changeOperator("EVA@example.org", demoting, root)).toBe("last-admin");
  expect(await access.findInvited("hash", noon)).toBeNull();
  expect(await access.findOperator("eva@example.org")).toMatchObject({ role: "admin" });
  expect(await access.changeOperator("eva@example.org", { removed: true }, root)).toBe("last-admin");
  await join(store, "ben@example.org", "admin");
  expect(await access.changeOperator("eva@example.org", { role: "sales" }, root)).toBe(true);
  expect(await access.findSession("cookie", noon)).toMatchObject({ role: "sales" });
  expect(await access.changeOperator(unknown, { role: "sales" }, root)).toBe(false);
  expect((await store.desk.listAudit({ limit: 1 })).rows).toMatchObject([
    { action: "operator.role", subject: "eva@example.org", detail: { from: "admin", to: "sales" } },
  ]);
});

test("the tokens of an admin end with the role", async ({ store }) => {
  const { access } = store;
  for (const email of ["eva@example.org", "ben@example.org", "sam@example.org"]) {
    await join(store, email, "admin");
    const token = { hash: `token of ${email}`, name: email, role: "admin", expiresAt: null } as const;
    await access.createToken(token, { operator: email, at: noon });
  }
  await access.changeOperator("eva@example.org", { role: "sales" }, root);
  await access.changeOperator("ben@example.org", { role: "sales", invitationHash: "hash" }, root);
  expect((await access.listTokens()).map(({ name }) => name)).toEqual(["sam@example.org"]);
  expect(await access.findToken("token of eva@example.org", noon)).toBeNull();
});

test("binds a sign-in by OpenID Connect to one operator, once", async ({ store }) => {
  const { access } = store;
  await access.changeOperator("eva@example.org", { role: "sales", invitationHash: "hash" }, root);
  await access.changeOperator("ben@example.org", { role: "sales", invitationHash: "other" }, root);
  expect(await access.changeOperator("eva@example.org", { oidc: identity }, root)).toBe(true);
  expect(await access.findBound(identity)).toMatchObject({ email: "eva@example.org" });
  expect(await access.findInvited("hash", noon)).toBeNull();
  expect(await access.listOperators()).toMatchObject([{ state: "active" }, { state: "invited" }]);
  expect(await access.changeOperator("eva@example.org", { oidc: { ...identity, subject: "43" } }, root)).toBe(false);
  expect(await access.changeOperator("ben@example.org", { oidc: identity }, root)).toBe(false);
  expect(await access.changeOperator(unknown, { oidc: identity }, root)).toBe(false);
  expect(await access.findBound({ ...identity, issuer: "https://evil.example.org" })).toBeNull();
});

test("a token works until it expires or is revoked, and its use is recorded once a minute", async ({ store }) => {
  const { access } = store;
  const token = { hash: "hash", name: "Sheet", role: "sales", expiresAt: noon + 10 * minute } as const;
  const { id } = await access.createToken(token, root);
  expect(await access.findToken("hash", noon)).toMatchObject({ id, name: "Sheet", usedAt: noon });
  expect(await access.findToken("hash", noon + minute - 1)).toMatchObject({ usedAt: noon });
  expect(await access.findToken("hash", noon + minute)).toMatchObject({ usedAt: noon + minute });
  expect(await access.findToken("hash", token.expiresAt)).toBeNull();
  expect(await access.listTokens()).toMatchObject([{ id, role: "sales", expiresAt: token.expiresAt }]);
  expect(await access.revokeToken(id, root)).toBe(true);
  expect(await access.revokeToken(id, root)).toBe(false);
  expect(await access.findToken("hash", noon)).toBeNull();
  expect(await actionsOf(store)).toEqual(["token.create", "token.revoke"]);
});
