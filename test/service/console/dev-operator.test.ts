// The operator of `npm run dev`.
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { devOperator } from "../../../server/dev/operator.ts";
import { operators as colleagues } from "../../../server/dev/seed/people.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { startService } from "../../support/service.ts";
import { invite, Operator } from "../../support/console/operator.ts";

test("is added once, can sign in, and is told again after a restart", async () => {
  await using service = await startService();
  await using store = await openStore(service.storage);
  const operator = await devOperator(store, service.dataFolder);
  expect(operator).toEqual({ email: "operator@example.org", password: expect.stringMatching(/^[\w-]{16}$/) });
  const answer = await new Operator(service).signIn(operator!.email, operator!.password);
  expect(answer.data).toEqual({ email: "operator@example.org", role: "admin" });
  expect(await devOperator(store, service.dataFolder)).toEqual(operator);
  // Those who own made-up submissions see them and can sign in, too.
  const colleague = new Operator(service);
  expect((await colleague.signIn("rana@example.org", operator!.password)).data).toMatchObject({ role: "recruiting" });
  const admin = new Operator(service);
  await admin.signIn(operator!.email, operator!.password);
  const owners = [...colleagues.inquiry, ...colleagues.application].toSorted();
  const assignees = (await admin.call("inbox.assignees")).data as { email: string; name: string | null }[];
  expect(assignees.map((one) => one.email)).toEqual([operator!.email, ...owners]);
  expect(assignees.filter(({ name }) => name === null)).toEqual([]);
  const { mode } = await stat(join(service.dataFolder, "operator-password.txt"));
  expect(mode & 0o777).toBe(0o600);
});

test("is not added where there are operators", async () => {
  await using service = await startService();
  await invite(service, "anna@example.org", "admin");
  await using store = await openStore(service.storage);
  const folder = await mkdtemp(join(tmpdir(), "dev-"));
  expect(await devOperator(store, folder)).toBeNull();
  expect(await store.access.listOperators()).toHaveLength(1);
  await rm(folder, { recursive: true });
});
