// Tokens for scripts.
import { expect, test } from "vitest";
import { MovableClock } from "../../support/movable-clock.ts";
import { startService } from "../../support/service.ts";
import { auditOf, Operator, operator, submitAll } from "../../support/console/operator.ts";

const hourMs = 60 * 60 * 1000;

test("a token is shown once, reads what its role sees, and its use is recorded", async () => {
  await using service = await startService();
  await submitAll(service);
  const admin = await operator(service, "admin@example.org", "admin");
  const { data } = await admin.call("tokens.create", { name: "Nightly export", role: "sales", expiresAt: null });
  const { token } = data as { token: string };
  expect(token).toMatch(/^submissions_[\w-]{43}$/);
  const listed = async () => (await admin.call("tokens.list")).data as { name: string; usedAt: number | null }[];
  expect(await listed()).toEqual([
    { id: 1, name: "Nightly export", role: "sales", createdAt: expect.any(Number), expiresAt: null, usedAt: null },
  ]);
  expect(JSON.stringify(await listed())).not.toContain(token);

  const script = Operator.withToken(service, token);
  const { data: page } = await script.call("inbox.list", { filter: {}, page: {} });
  expect((page as { rows: { kind: string }[] }).rows.map(({ kind }) => kind)).toEqual(["inquiry"]);
  expect(await (await script.fetch("/console/exports/inquiries.ndjson")).text()).toContain("Ann Buyer");
  expect((await listed())[0]?.usedAt).toEqual(expect.any(Number));
  const entry = (await auditOf(service)).findLast(({ action }) => action === "export");
  expect(entry?.operator).toBe("token 1 (Nightly export)");
});

test("a token changes nothing, has no session, and its request's cookie counts for nothing", async () => {
  await using service = await startService();
  const { inquiry } = await submitAll(service);
  const admin = await operator(service, "admin@example.org", "admin");
  const { data } = await admin.call("tokens.create", { name: "All", role: "admin", expiresAt: null });
  const script = Operator.withToken(service, (data as { token: string }).token);
  script.cookie = admin.cookie;
  const note = { reference: inquiry, text: "x" };
  expect(await script.call("submission.addNote", note)).toMatchObject({
    status: 403,
    message: "A token can only read.",
  });
  expect((await script.call("session.me")).status).toBe(403);
  expect((await script.call("session.signOut")).status).toBe(403);
  const wrong = Operator.withToken(service, "submissions_wrong");
  wrong.cookie = admin.cookie;
  expect((await wrong.call("inbox.counts")).status).toBe(401);
  for (const authorization of ["Bearer", "Bearer a b", `Bearer ${"x".repeat(5_000)}`]) {
    expect((await new Operator(service, { authorization }).call("inbox.counts")).status).toBe(401);
  }
  // A proxy in front may ask for a password of its own.
  admin.headers = { ...admin.headers, authorization: "Basic YTpi" };
  expect((await admin.call("inbox.counts")).status).toBe(200);
});

test("a token ends when it expires, when it is revoked, and with the operator who made it", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock });
  const admin = await operator(service, "admin@example.org", "admin");
  const ben = await operator(service, "ben@example.org", "admin");
  const create = async (one: Operator, name: string, expiresAt: number | null) => {
    const { data } = await one.call("tokens.create", { name, role: "sales", expiresAt });
    return Operator.withToken(service, (data as { token: string }).token);
  };
  // The second is no time: the pages that show tokens and the audit log could not write it.
  for (const expiresAt of [clock.now() - 1, 8.64e15 + 1]) {
    const refused = await admin.call("tokens.create", { name: "x", role: "sales", expiresAt });
    expect([refused.status, refused.issues?.[0]?.path]).toEqual([400, ["expiresAt"]]);
  }
  const [brief, lasting, bens] = [
    await create(admin, "brief", clock.now() + hourMs),
    await create(admin, "lasting", null),
    await create(ben, "Ben's", null),
  ];
  const works = async (one: Operator) => (await one.call("inbox.counts")).status;
  expect([await works(brief), await works(lasting), await works(bens)]).toEqual([200, 200, 200]);
  clock.advance(hourMs);
  expect(await works(brief)).toBe(401);
  await admin.call("tokens.revoke", { id: 2 });
  expect(await works(lasting)).toBe(401);
  expect((await admin.call("tokens.revoke", { id: 2 })).status).toBe(404);
  await admin.call("operators.remove", { email: "ben@example.org" });
  expect(await works(bens)).toBe(401);
});
