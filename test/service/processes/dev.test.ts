// What a developer meets first: `npm run dev`, as npm starts it, says what to open, and all of it can be opened.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { InboxRow, Page } from "../../../shared/src/console.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { invite, Operator } from "../../support/console/operator.ts";
import { freePort } from "../../support/free-port.ts";
import { devOperator } from "../../../server/dev/operator.ts";
import { operators as colleagues } from "../../../server/dev/seed/people.ts";
import { startService } from "../../support/service.ts";
import { nightly } from "../../support/many-or-few.ts";

const source = join(import.meta.dirname, "../../../server/src");

nightly("npm run dev says what to open, and all of it can be opened", async () => {
  const folder = await mkdtemp(join(tmpdir(), "dev-"));
  const flags = ["-C", "@submissions/source", "--import", join(source, "preload.js"), "--watch"];
  const child = spawn(process.execPath, [...flags, join(source, "../dev/main.ts")], {
    cwd: folder,
    env: { ...process.env, PORT: String(await freePort()), DATA_DIR: join(folder, "data"), LOG_LEVEL: "silent" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    let said = "";
    for await (const piece of child.stdout) {
      said += String(piece);
      if (/^ {2}data .*\n/m.test(said)) break;
    }
    const named = (what: string) => new RegExp(`^ {2}${what} +(http\\S+)`, "m").exec(said)?.[1] ?? "";
    for (const what of ["front page", "console", "API docs"]) expect((await fetch(named(what))).status).toBe(200);
    expect(await (await fetch(named("mailbox"))).text()).toContain("We received your application APP-");
    const document = (await (await fetch(`${named("front page")}openapi.json`)).json()) as { openapi: string };
    expect(document.openapi).toBe("3.1.0");
    const operator = new Operator({ url: new URL(named("console")).origin });
    const [, address = "", password = ""] = /\((\S+), password (\S+)\)/.exec(said) ?? [];
    expect((await operator.signIn(address, password)).status).toBe(200);
    // Twice, because what answers the first read could be what Node says of itself with `--watch`.
    for (const _ of [1, 2]) {
      const { data } = await operator.call("inbox.list", { filter: { status: "new" }, page: {} });
      expect((data as Page<InboxRow>).rows[0]?.reference).toMatch(/^(?:INQ|APP)-/);
    }
    const file = join(folder, "data/submissions.sqlite");
    await using store = await openStore({ kind: "sqlite", file }, { access: "read-only" });
    const audit: number[] = [];
    for await (const page of store.readAll("audit", {})) audit.push(...page.map(({ at }) => at));
    expect(audit.length).toBeGreaterThan(100);
    expect(audit).toEqual(audit.toSorted((a, b) => a - b));
    const operators = new Set((await store.access.listOperators()).map(({ email }) => email));
    const owners = new Set<string>();
    for await (const page of store.readAll("application", {}))
      for (const { assignee } of page) if (assignee !== null) owners.add(assignee);
    expect(owners.size).toBeGreaterThan(1);
    expect([...owners].filter((owner) => !operators.has(owner))).toEqual([]);
  } finally {
    child.kill();
    await once(child, "exit");
    await rm(folder, { recursive: true });
  }
});

// The operator of `npm run dev`.
nightly("is added once, can sign in, and is told again after a restart", async () => {
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

nightly("is not added where there are operators", async () => {
  await using service = await startService();
  await invite(service, "anna@example.org", "admin");
  await using store = await openStore(service.storage);
  const folder = await mkdtemp(join(tmpdir(), "dev-"));
  expect(await devOperator(store, folder)).toBeNull();
  expect(await store.access.listOperators()).toHaveLength(1);
  await rm(folder, { recursive: true });
});
