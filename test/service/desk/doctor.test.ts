// `doctor` names what is wrong with an installation, and shows no secret.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ClamdStandIn } from "../../support/clamd-stand-in.ts";
import { DnsStandIn } from "../../support/dns-stand-in.ts";
import { PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { openFolder } from "../../support/folder.ts";
import { listening } from "../../support/listening.ts";
import { startService } from "../../support/service.ts";
import { runCommand } from "../../support/desk/run-command.ts";

const auth = "postmark:hunter2-hunter2-hunter2-hunter2";

const statesOf = (stdout: string) =>
  Object.fromEntries([...stdout.matchAll(/^(ok|attention|failed) +(\w+):/gm)].map(([, state, name]) => [name, state]));

test("a service that has what it needs gets ok, and what nothing can try is named", async () => {
  await using postmark = await PostmarkStandIn.open();
  const settings = { ...postmark.env, POSTMARK_WEBHOOK_AUTH: auth };
  await using service = await startService({ env: settings });
  const env = { ...settings, ...service.sameData, PUBLIC_URL: service.url };
  await using folder = await openFolder();
  expect(await runCommand(["backup", folder.path], env)).toMatchObject({ code: 0 });
  const found = await runCommand(["doctor"], env);
  const { disk, ...states } = statesOf(found.stdout);
  expect(states).toEqual({
    database: "ok",
    resumes: "ok",
    mail: "ok",
    sender: "attention",
    bounces: "ok",
    proxy: "ok",
    backup: "ok",
  });
  expect(found.code).toBe(0);
  for (const secret of ["hunter2", postmark.token]) expect(found.stdout).not.toContain(secret);
  expect(["ok", "attention"]).toContain(disk);
  expect(await service.files("resumes")).toEqual([]);
  expect(postmark.taken).toEqual([]);

  // The running service has written its address down.
  const unnamed = await runCommand(["doctor"], { ...settings, ...service.sameData });
  expect(unnamed.stdout).toContain(`proxy: PUBLIC_URL is not set: links lead to ${service.url}`);
  expect(statesOf(unnamed.stdout)).toMatchObject({ bounces: "ok", proxy: "attention" });

  await rm(folder.path, { recursive: true });
  const later = await runCommand(["doctor"], env);
  expect(later.stdout).toMatch(/^attention +backup: the newest whole one is \d+ minutes? old: .*not there/m);
});

test.each([
  ["without a proxy", "2", "failed", "a client can claim any address"],
  ["without a proxy", "1", "failed", "a client can claim any address"],
  ["behind a proxy", "", "failed", "all clients count as one, the proxy"],
  ["behind a proxy", "1", "ok", "http:"],
  ["behind a proxy", "192.0.2.0/24", "failed", "all clients count as one, the proxy"],
  ["behind a proxy of this machine", "1", "ok", "http:"],
])("%s, TRUST_PROXY=%s: %s", async (where, hops, state, reason) => {
  await using service = await startService({ env: hops === "" ? {} : { TRUST_PROXY: hops } });
  // As a proxy should: it replaces what the client says.
  await using proxy = await listening(({ url, headers }, response) => {
    const { authorization = "" } = headers;
    const client = where.endsWith("machine") ? "127.0.0.1" : "198.51.100.7";
    const through = fetch(service.url + url, { headers: { authorization, "x-forwarded-for": client } });
    void through.then(async (answer) => response.writeHead(answer.status).end(await answer.text()));
  });
  const { url } = where === "without a proxy" ? service : proxy;
  const found = await runCommand(["doctor"], { ...service.sameData, PUBLIC_URL: url });
  expect(found.code).toBe(state === "ok" ? 0 : 1);
  expect(found.stdout).toMatch(new RegExp(`^${state} +proxy: ${reason}`, "m"));
});

test("what fails is named with its reason, and ends with 1", async () => {
  await using postmark = await PostmarkStandIn.open();
  await using service = await startService({ env: { ...postmark.env, POSTMARK_WEBHOOK_AUTH: auth } });
  const wrong = {
    ...postmark.env,
    ...service.sameData,
    PUBLIC_URL: service.url,
    POSTMARK_SERVER_TOKEN: "wrong-token-hunter2",
    POSTMARK_WEBHOOK_AUTH: "postmark:another-hunter2-hunter2-hunter2",
  };
  const found = await runCommand(["doctor"], wrong);
  expect(statesOf(found.stdout)).toMatchObject({ database: "ok", mail: "failed", bounces: "failed", proxy: "ok" });
  expect(found.stdout).toContain("postmark: HTTP 401, code 10");
  expect(found.stdout).toContain("answers its own credentials with 401");
  expect([found.code, found.stderr, found.stdout.includes("hunter2")]).toEqual([1, "Failed: 2.\n", false]);
});

test("a store that is not there or old fails, and is not made", async () => {
  await using folder = await openFolder();
  const found = await runCommand(["doctor"], { DATA_DIR: join(folder.path, "none"), PUBLIC_URL: "http://127.0.0.1:9" });
  const failed = Object.fromEntries(["database", "mail", "proxy", "backup"].map((name) => [name, "failed"]));
  expect(statesOf(found.stdout)).toMatchObject(failed);
  expect(found.stdout).toContain("lacks migrations: 0001-");
  expect(found.code).toBe(1);
});

test("an address that leads to another server, or to none, fails", async () => {
  await using postmark = await PostmarkStandIn.open();
  await using service = await startService();
  await using stranger = await listening((_request, response) => response.end("Welcome"));
  const env = { ...postmark.env, ...service.sameData, POSTMARK_WEBHOOK_AUTH: auth, PUBLIC_URL: stranger.url };
  const found = await runCommand(["doctor"], env);
  expect(statesOf(found.stdout)).toMatchObject({ bounces: "failed", proxy: "failed" });
  expect(found.stdout).toContain(`${stranger.url} is not this service: it answers 200`);
  const { stdout } = await runCommand(["doctor"], { ...env, PUBLIC_URL: "http://127.0.0.1:9" });
  for (const name of ["bounces", "proxy"]) expect(stdout).toContain(`${name}: http://127.0.0.1:9 cannot be reached`);
});

test("how a request arrived is told to none but those who can read the store", async () => {
  await using service = await startService();
  const headers = { authorization: "Bearer .guess" };
  for (const options of [{}, { headers }]) {
    expect((await fetch(`${service.url}/doctor`, options)).status).toBe(404);
  }
});

test("what DNS lacks of the sender and of the address for answers is named", async () => {
  await using dns = await DnsStandIn.open();
  await using postmark = await PostmarkStandIn.open();
  await using service = await startService({ env: postmark.env });
  const env = {
    ...postmark.env,
    ...service.sameData,
    PUBLIC_URL: service.url,
    DNS_SERVER: dns.address,
    MAIL_FROM: "Desk <no-reply@mail.desk.example>",
    INBOUND_ADDRESS: "answers@in.desk.example",
    INBOUND_WEBHOOK_AUTH: auth,
  };
  const lacking = await runCommand(["doctor"], env);
  expect(lacking.stdout).toContain(
    "attention  sender: mail.desk.example lacks SPF (TXT of mail.desk.example), " +
      "DKIM (TXT of pm._domainkey.mail.desk.example), DMARC (TXT of _dmarc.mail.desk.example)",
  );
  expect(lacking.stdout).toMatch(/^failed +answers: no server takes mail for in\.desk\.example/m);
  expect(lacking.code).toBe(1);

  const spf = "v=spf1 include:spf.mtasv.net ~all";
  dns.zones = {
    "mail.desk.example": { txt: ["other", spf] },
    "chosen._domainkey.mail.desk.example": { txt: [`v=DKIM1; k=rsa; p=${"A".repeat(360)}`] },
    // The domain's policy holds for the hosts below it.
    "_dmarc.desk.example": { txt: ["v=DMARC1; p=reject"] },
    "in.desk.example": {
      mx: [
        [20, "later.example"],
        [10, "inbound.postmarkapp.com"],
      ],
    },
  };
  const whole = await runCommand(["doctor"], { ...env, MAIL_DKIM_SELECTOR: "chosen" });
  expect(whole.stdout).toMatch(/^ok +sender: mail\.desk\.example has SPF, DKIM, DMARC$/m);
  expect(whole.stdout).toMatch(/^ok +answers: inbound\.postmarkapp\.com takes mail for in\.desk\.example$/m);

  dns.zones = { ...dns.zones, "mail.desk.example": { txt: [spf, spf] }, "in.desk.example": { mx: [[0, ""]] } };
  const wrong = await runCommand(["doctor"], { ...env, MAIL_DKIM_SELECTOR: "chosen" });
  expect(wrong.stdout).toContain("lacks one SPF record in place of 2");
  expect(wrong.stdout).toMatch(/^failed +answers:/m);
});

test("without DNS, the records are to be looked at by hand", async () => {
  await using postmark = await PostmarkStandIn.open();
  await using service = await startService({ env: postmark.env });
  const dns = await DnsStandIn.open();
  const { address } = dns;
  await dns[Symbol.asyncDispose]();
  const found = await runCommand(["doctor"], { ...postmark.env, ...service.sameData, DNS_SERVER: address });
  expect(found.stdout).toMatch(/^attention +sender: look at SPF, DKIM and DMARC of .* by hand: DNS cannot be asked/m);
});

test("over SMTP, bounces are heard of where reports of undelivered mails can come back", async () => {
  await using service = await startService();
  const env = {
    ...service.sameData,
    MAIL_TRANSPORT: "smtp",
    SMTP_URL: "smtp://127.0.0.1:9",
    MAIL_FROM: "no-reply@desk.example",
    SALES_EMAIL: "sales@desk.example",
    RECRUITING_EMAIL: "jobs@desk.example",
  };
  const deaf = await runCommand(["doctor"], env);
  expect(deaf.stdout).toMatch(/^attention +bounces: smtp tells nothing of bounces and complaints$/m);
  const inbound = { INBOUND_ADDRESS: "answers@in.desk.example", INBOUND_WEBHOOK_AUTH: auth };
  const hearing = await runCommand(["doctor"], { ...env, ...inbound });
  expect(hearing.stdout).toMatch(/^ok +bounces: reports of undelivered mails go to answers@in\.desk\.example$/m);
});

test("a virus scanner that gives no verdict fails", async () => {
  await using service = await startService();
  await using clamd = await ClamdStandIn.open();
  const env = { ...service.sameData, CLAMD_ADDRESS: clamd.address };
  expect(statesOf((await runCommand(["doctor"], env)).stdout)).toMatchObject({ scanner: "ok" });
  clamd.isBroken = true;
  expect(statesOf((await runCommand(["doctor"], env)).stdout)).toMatchObject({ scanner: "failed" });
});
