// The table docs/asvs.tsv against the standard's list, the repository and what the service sends.
import { existsSync, globSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { json } from "../../support/doors.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { operator, Operator, password } from "../../support/console/operator.ts";

const root = join(import.meta.dirname, "../../..");

/** Requirements of levels 1 and 2 in each section of ASVS 5.0.0; those of level 3 come behind them. */
const sections =
  "1.1:2 1.2:9 1.3:11 1.4:3 1.5:2 2.1:3 2.2:3 2.3:4 2.4:1 3.2:2 3.3:4 3.4:6 3.5:5 3.7:2 4.1:3 4.2:1 4.3:2 4.4:4 5.1:1 5.2:3 5.3:2 5.4:3 6.1:3 6.2:12 6.3:4 6.4:4 6.5:5 6.6:3 6.8:4 7.1:3 7.2:4 7.3:2 7.4:5 7.5:2 7.6:2 8.1:2 8.2:3 8.3:1 8.4:1 9.1:3 9.2:4 10.1:2 10.2:2 10.3:4 10.4:11 10.5:5 10.6:2 10.7:3 11.1:2 11.2:3 11.3:3 11.4:4 11.5:1 11.6:1 12.1:3 12.2:2 12.3:4 13.1:1 13.2:5 13.3:2 13.4:5 14.1:2 14.2:4 14.3:3 15.1:3 15.2:3 15.3:7 16.1:1 16.2:5 16.3:4 16.4:3 16.5:3 17.1:1 17.2:4 17.3:2";

const [, ...rows] = readFileSync(join(root, "docs/asvs.tsv"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => {
    const [ids = "", state = "", words = "", shown = ""] = line.split("\t");
    return { ids: ids.split(", "), state, words, shown };
  });
const rowOf = (id: string) => rows.find(({ ids }) => ids.includes(id))!;
const service = shared(() => startService());

test("each requirement of levels 1 and 2 is answered once", () => {
  const expected = sections.split(" ").flatMap((section) => {
    const [name, count] = section.split(":");
    return Array.from({ length: Number(count) }, (_, at) => `${name}.${at + 1}`);
  });
  expect(rows.flatMap(({ ids }) => ids).toSorted()).toEqual(expected.toSorted());
});

test("what is held is shown by a test that exists, and what is not held says why", () => {
  for (const { ids, state, words, shown } of rows) {
    expect(["held", "not held", "not applicable", "installation"], ids.join()).toContain(state);
    expect(words, ids.join()).not.toBe("");
    if (state === "held") expect(shown, ids.join()).toMatch(/\.test\.ts$/);
    if (shown !== "") expect(existsSync(join(root, shown)), shown).toBe(true);
  }
});

test("the headers of the table are those of every answer", async () => {
  const answers = await Promise.all([
    fetch(`${service().url}/console`),
    fetch(`${service().url}/console/exports/none`),
    fetch(`${service().url}/console/exports/inquiries.csv`),
    fetch(`${service().url}/console/trpc/session.me`, { method: "POST", ...json({}) }),
  ]);
  const named = rows.flatMap(({ state, words }) =>
    state === "held" ? [...words.matchAll(/([A-Z][\w-]+): ([\w-]+) on every answer/g)] : [],
  );
  expect(named.map(([, name]) => name)).toEqual(["X-Content-Type-Options", "Referrer-Policy"]);
  for (const { headers } of answers) {
    for (const [, name, value] of named) expect(headers.get(name!)).toBe(value);
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  }
  const [shell, ...others] = answers;
  for (const { headers } of others) expect(headers.get("cache-control")).toBe("no-store");
  const policy = shell.headers.get("content-security-policy");
  for (const directive of rowOf("3.4.3").words.split(", ")) expect(policy).toContain(directive);
});

test("a request that cannot be read is answered with these headers, too", async () => {
  const { hostname, port } = new URL(service().url);
  const socket = connect(Number(port), hostname);
  socket.write("NONSENSE\r\n\r\n");
  const answer = String(await buffer(socket)).toLowerCase();
  expect(answer).toMatch(/^http\/1\.1 400 /);
  for (const header of ["x-content-type-options: nosniff", "referrer-policy: no-referrer"])
    expect(answer).toContain(`\r\n${header}\r\n`);
});

test("the cookies of the table are those of the service, below the path of PUBLIC_URL", async () => {
  await using secure = await startService({ env: { PUBLIC_URL: "https://service.example/below" } });
  const eva = await operator(secure, "eva@example.org", "sales");
  const init = { method: "POST", ...json({ email: "eva@example.org", password }) };
  const response = await eva.fetch("/console/trpc/session.signIn", init);
  const cookies = response.headers.getSetCookie();
  expect(cookies).toHaveLength(2);
  expect((await eva.call("inbox.counts")).status).toBe(200);
  for (const cookie of cookies) {
    expect(cookie).toMatch(/^__Secure-[\w-]+=[\w.-]+; Path=\/below\/console; HttpOnly; SameSite=Strict;.*\bSecure$/);
  }
  expect(rowOf("3.3.1").words).toContain("__Secure-");
  expect(rowOf("3.3.2").words).toContain("SameSite=Strict");
  expect(rowOf("3.3.4").words).toContain("HttpOnly");
});

test("no source of the server starts a command or makes code", () => {
  const sources = globSync("server/src/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
  expect(sources.length).toBeGreaterThan(100);
  for (const file of sources) {
    expect(readFileSync(join(root, file), "utf8"), file).not.toMatch(/child_process|\beval\(|new Function\(/);
  }
});

test("TRACE tells nothing", async () => {
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const sent = request(`${service().url}/console`, { method: "TRACE" }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject).end();
  });
  expect([404, 405]).toContain(status);
  expect((await new Operator(service()).call("session.me")).status).toBe(200);
});
