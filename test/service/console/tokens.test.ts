// Tokens for scripts.
import { expect, test } from "vitest";
import { startService } from "../../support/service.ts";
import { anew } from "../../support/shared.ts";
import { auditOf, Operator, operator, scriptOf, submitAll } from "../../support/console/operator.ts";

const service = anew(() => startService());
const admin = anew(() => operator(service(), "admin@example.org", "admin"));

test("a token is shown once, reads what its role sees, and its use is recorded", async () => {
  await submitAll(service());
  const script = await scriptOf(admin(), "sales", "Nightly export");
  const token = script.headers["authorization"]!.replace("Bearer ", "");
  expect(token).toMatch(/^submissions_[\w-]{43}$/);
  const listed = async () => (await admin().call("tokens.list")).data as { name: string; usedAt: number | null }[];
  expect(await listed()).toEqual([
    { id: 1, name: "Nightly export", role: "sales", createdAt: expect.any(Number), expiresAt: null, usedAt: null },
  ]);
  expect(JSON.stringify(await listed())).not.toContain(token);

  const { data: page } = await script.call("inbox.list", { filter: {}, page: {} });
  expect((page as { rows: { kind: string }[] }).rows.map(({ kind }) => kind)).toEqual(["inquiry"]);
  expect(await (await script.fetch("/console/exports/inquiries.ndjson")).text()).toContain("Ann Buyer");
  expect((await listed())[0]?.usedAt).toEqual(expect.any(Number));
  const entry = (await auditOf(service())).findLast(({ action }) => action === "export");
  expect(entry?.operator).toBe("token 1 (Nightly export)");
});

test("a token changes nothing, has no session, and its request's cookie counts for nothing", async () => {
  const { inquiry } = await submitAll(service());
  const script = await scriptOf(admin(), "admin");
  script.cookie = admin().cookie;
  const note = { reference: inquiry, text: "x" };
  expect((await script.call("submission.addNote", note)).message).toBe("A token can only read.");
  expect((await script.call("session.me")).status).toBe(403);
  expect((await script.call("session.signOut")).status).toBe(403);
  const wrong = Operator.withToken(service(), "submissions_wrong");
  wrong.cookie = admin().cookie;
  expect((await wrong.call("inbox.counts")).status).toBe(401);
  for (const authorization of ["Bearer", "Bearer a b", `Bearer ${"x".repeat(5_000)}`]) {
    expect((await new Operator(service(), { authorization }).call("inbox.counts")).status).toBe(401);
  }
  // A proxy in front may ask for a password of its own.
  const behindProxy = new Operator(service(), { ...admin().headers, authorization: "Basic YTpi" });
  behindProxy.cookie = admin().cookie;
  expect((await behindProxy.call("inbox.counts")).status).toBe(200);
});

test("a token that would have expired, or never expires by any clock, is not made; one that is revoked opens nothing", async () => {
  const until = (expiresAt: number) => admin().call("tokens.create", { name: "x", role: "sales", expiresAt });
  // The second is no time: the pages that show tokens and the audit log could not write it.
  for (const expiresAt of [Date.now() - 1, 8.64e15 + 1]) {
    const refused = await until(expiresAt);
    expect([refused.status, refused.issues?.[0]?.path]).toEqual([400, ["expiresAt"]]);
  }
  const { token } = (await until(Date.now() + 3_600_000)).data as { token: string };
  const script = Operator.withToken(service(), token);
  const id = ((await admin().call("tokens.list")).data as { id: number }[]).at(-1)?.id;
  expect((await script.call("inbox.counts")).status).toBe(200);
  expect((await admin().call("tokens.revoke", { id })).status).toBe(200);
  expect((await script.call("inbox.counts")).status).toBe(401);
  expect((await admin().call("tokens.revoke", { id })).status).toBe(404);
});

test("a change that is asked for again with its key is made once, and is answered as before, to its operator alone", async () => {
  const input = { name: "once", role: "sales", expiresAt: null } as const;
  const keyed = (key: string, asked: object = input, one = admin()) =>
    one.fetch("/console/trpc/tokens.create", {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify(asked),
    });
  const tokenOf = async (answer: Response) =>
    ((await answer.json()) as { readonly result: { readonly data: { readonly token: string } } }).result.data.token;
  // The second one comes while the first is worked on.
  const same = await Promise.all([keyed("k1"), keyed("k1")].map(async (answer) => tokenOf(await answer)));
  same.push(await tokenOf(await keyed("k1")));
  expect(new Set(same).size).toBe(1);
  const colleague = await operator(service(), "colleague@example.org", "admin");
  const others = await Promise.all(
    [keyed("k2"), keyed("k1", { ...input, role: "admin" }), keyed("k1", input, colleague)].map(async (answer) =>
      tokenOf(await answer),
    ),
  );
  expect(new Set([...same, ...others]).size).toBe(4);
  // What was refused is asked for anew, and who may not do it any more gets no answer from before.
  expect((await keyed("k3", { ...input, expiresAt: 1 })).status).toBe(400);
  expect(((await admin().call("tokens.list")).data as object[]).length).toBe(4);
  await colleague.call("operators.setRole", { email: "admin@example.org", role: "sales" });
  expect((await keyed("k1")).status).toBe(404);
});
