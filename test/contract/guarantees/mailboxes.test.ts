// What the port promises about mailboxes that answers are fetched from, and the reader that relies on it.
import { expect, onTestFinished, vi } from "vitest";
import { type ImapEvent, type ImapOptions, startImap } from "../../../server/src/inbound/imap.ts";
import { VaultUnavailable } from "../../../server/src/resumes/vault.ts";
import { createLog } from "../../../server/src/observe/log.ts";
import type { MailboxStore } from "../../../server/src/storage/inbound-store.ts";
import { ImapStandIn } from "../../support/imap-stand-in.ts";
import { contractTest as test } from "../engine-under-test.ts";
import { minute, noon } from "../records.ts";

test("gives a mailbox to one process at a time", async ({ store, tested }) => {
  const other = await tested.openAgain();
  const name = "eve@mx/Answers";
  const first = await Promise.all(
    [store, other].map((each, n) => each.mailboxes.lease(name, `process ${n}`, noon, noon + minute)),
  );
  expect(first.filter((each) => each !== null)).toStrictEqual([{ position: null }]);
  const winner = first[0] === null ? 1 : 0;
  const [owner, waiting] = [`process ${winner}`, `process ${1 - winner}`];
  const position = { uidValidity: 4_294_967_295, uid: 7, takenAt: noon };
  expect(await store.mailboxes.advance(name, owner, position)).toBe(true);
  expect(await store.mailboxes.lease(name, owner, noon, noon + minute)).toStrictEqual({ position });
  expect(await store.mailboxes.lease(name, waiting, noon + minute - 1, noon + 2 * minute)).toBeNull();
  expect(await other.mailboxes.lease(name, waiting, noon + minute, noon + 2 * minute)).toStrictEqual({ position });
  expect(await store.mailboxes.advance(name, owner, { ...position, uid: 8 })).toBe(false);
  await store.mailboxes.release(name, owner);
  expect(await store.mailboxes.lease(name, owner, noon + minute, noon + 2 * minute)).toBeNull();
  await other.mailboxes.release(name, waiting);
  expect(await store.mailboxes.lease(name, owner, noon + minute, noon + 2 * minute)).toStrictEqual({ position });
});

test("gives a mailbox that was taken by a clock that was ahead to the next process", async ({ store }) => {
  const ahead = noon + 24 * 60 * minute;
  await store.mailboxes.lease("eve@mx/Answers", "ahead", ahead, ahead + minute);
  expect(await store.mailboxes.lease("eve@mx/Answers", "next", noon, noon + minute)).toStrictEqual({ position: null });
});

const mail = (id: string) =>
  `From: eve@example.org\r\nTo: answers@desk.example\r\nMessage-ID: <${id}>\r\n\r\nHello ${id}\r\n`;

type Reader = ImapOptions["store"];

/** Reads a server's mailbox into a list, until the test ends. */
function readInto(taken: string[], server: ImapStandIn, store: Reader, more: Partial<ImapOptions> = {}) {
  const events: ImapEvent[] = [];
  const reader = startImap({
    settings: {
      host: "127.0.0.1",
      port: server.port,
      secure: false,
      user: "eve@example.org",
      password: "secret",
      mailbox: "Answers",
      rejectUnauthorized: true,
    },
    store,
    take: async ({ messageId = "" }) => void taken.push(messageId),
    log: createLog("silent"),
    happened: (event) => events.push(event),
    ...more,
    waits: { retryMs: 5, retryMsMax: 20, ...more.waits },
  });
  onTestFinished(() => reader[Symbol.asyncDispose]());
  return { events, stop: () => reader[Symbol.asyncDispose]() };
}

const isIdle = (server: ImapStandIn) => vi.waitFor(() => expect(server.commands.at(-1)).toBe("IDLE"), 20_000);

async function withServer(options?: { tls: boolean }): Promise<ImapStandIn> {
  const server = await ImapStandIn.open(options);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

test("takes what comes after the first start, in its order, and marks nothing", async ({ store }) => {
  const server = await withServer();
  const taken: string[] = [];
  server.add(mail("before"));
  const first = readInto(taken, server, store);
  await isIdle(server);
  for (const id of ["1", "2", "3"]) server.add(mail(id));
  await vi.waitFor(() => expect(taken).toStrictEqual(["1", "2", "3"]), 20_000);
  await isIdle(server);
  await first.stop();
  server.add(mail("while-away"));
  readInto(taken, server, store);
  await vi.waitFor(() => expect(taken).toStrictEqual(["1", "2", "3", "while-away"]), 20_000);
  expect(server.mails).toHaveLength(5);
  expect(server.commands.filter((command) => /^SELECT|STORE|EXPUNGE|MOVE|BODY\[/i.test(command))).toStrictEqual([]);
});

test("loses nothing to connections that break", async ({ store }) => {
  const server = await withServer();
  const taken: string[] = [];
  const { events } = readInto(taken, server, store);
  await isIdle(server);
  for (const breaksAt of [/BODY/, /SEARCH/, /EXAMINE/, /AUTHENTICATE/]) {
    const before = events.filter((event) => event === "broken").length;
    server.breaksAt = breaksAt;
    server.dropConnections();
    server.add(mail(breaksAt.source));
    await vi.waitFor(
      // More often than a mail is tried that cannot be stored.
      () => expect(events.filter((event) => event === "broken").length).toBeGreaterThan(before + 10),
      20_000,
    );
    server.breaksAt = null;
    await vi.waitFor(() => expect(taken).toContain(breaksAt.source), 20_000);
  }
  expect(taken).toHaveLength(4);
});

test("takes a mail again when it is unknown whether it was taken", async ({ store }) => {
  const server = await withServer();
  const taken: string[] = [];
  let failures = 2;
  const take = async ({ messageId = "" }) => {
    if (failures === 2 && (failures -= 1)) throw new Error("The disk is full.");
    taken.push(messageId);
  };
  const mailboxes: MailboxStore = {
    ...store.mailboxes,
    advance: async (...position) => {
      if (taken.length === 1 && failures === 1 && (failures -= 1) === 0) throw new Error("The store is away.");
      return store.mailboxes.advance(...position);
    },
  };
  readInto(taken, server, { mailboxes, inbound: store.inbound, clock: store.clock }, { take });
  await isIdle(server);
  for (const id of ["1", "2"]) server.add(mail(id));
  await vi.waitFor(() => expect(taken).toStrictEqual(["1", "1", "2"]), 20_000);
});

test("sets a mail aside that cannot be stored, with its headers, and takes those behind it", async ({ store }) => {
  const server = await withServer();
  const taken: string[] = [];
  const tries = { bad: 0, vault: 0 };
  const take = async ({ messageId = "" }) => {
    if (messageId === "bad" && (tries.bad += 1)) throw new Error("It does not fit.");
    // However long the vault is away, no mail is at fault.
    if (messageId === "file" && (tries.vault += 1) < 20) throw new VaultUnavailable("away");
    taken.push(messageId);
  };
  const { events } = readInto(taken, server, store, { take });
  await isIdle(server);
  const bad = mail("bad").replace("From:", "Subject: Caf\u00e9\0\r\n au lait\r\nFrom:");
  for (const each of [mail("1"), bad, mail("file"), mail("2")]) server.add(each);
  await vi.waitFor(() => expect(taken).toStrictEqual(["1", "file", "2"]), 60_000);
  expect([tries, events.filter((event) => event === "set-aside")]).toEqual([{ bad: 8, vault: 20 }, ["set-aside"]]);
  const { rows } = await store.inbound.listUnmatched({});
  expect(rows).toMatchObject([{ senderAddress: "eve@example.org", automatic: true }]);
  expect(rows[0]?.subject).toMatch(/^Caf.* au lait$/);
  expect(rows[0]?.text).toMatch(/could not be taken.*Message-ID: <bad>/s);
  expect(rows[0]?.text).not.toContain("Hello");
});

test("passes over a mail that breaks each connection which fetches it", async ({ store }) => {
  const server = await withServer();
  const taken: string[] = [];
  const { events } = readInto(taken, server, store);
  await isIdle(server);
  // The first one breaks whatever is fetched of it, the second one only as a whole.
  server.breaksAt = /^UID FETCH (?:1 .*BODY|2 .*BODY\.PEEK\[\](?!<))/;
  for (const id of ["1", "2", "3"]) server.add(mail(id));
  await vi.waitFor(() => expect(taken).toStrictEqual(["2", "3"]), 60_000);
  expect(events.filter((event) => event === "set-aside")).toHaveLength(1);
  expect(
    server.commands.filter((command) => command.startsWith("UID FETCH 1") && command.includes("BODY")),
  ).toHaveLength(8);
  const { rows } = await store.inbound.listUnmatched({});
  expect(rows).toMatchObject([{ subject: "Mail 1 of the mailbox (UIDVALIDITY 1)", automatic: true }]);
});

test("passes over no mail that the server does not hand over now", async ({ store }) => {
  const server = await withServer();
  const taken: string[] = [];
  server.instead = { at: /^EXAMINE/, reply: "OK [READ-ONLY] opened" };
  const { events } = readInto(taken, server, store, { waits: { retryMs: 5, retryMsMax: 20, pollMs: 20 } });
  const broken = () => events.filter((event) => event === "broken").length;
  await vi.waitFor(() => expect(broken()).toBeGreaterThan(0), 20_000);
  server.instead = null;
  await isIdle(server);
  for (const [at, reply] of [
    [/SEARCH/, "NO [SERVERBUG] not now"],
    [/BODY/, "NO [UNAVAILABLE] not now"],
    [/BODY/, "OK done"],
  ] as const) {
    const before = broken();
    server.instead = { at, reply };
    server.add(mail(`${at.source} ${reply}`.replaceAll(" ", "-")));
    // More often than a mail is tried that is at fault itself.
    await vi.waitFor(() => expect(broken()).toBeGreaterThan(before + 8), 20_000);
    server.instead = null;
    await vi.waitFor(() => expect(taken).toHaveLength(server.mails.length), 20_000);
  }
  expect(events).not.toContain("set-aside");
});

test("ends although the server is silent", { timeout: 60_000 }, async ({ store }) => {
  const server = await withServer();
  const taken: string[] = [];
  const { stop } = readInto(taken, server, store);
  await isIdle(server);
  server.instead = { at: /SEARCH/, reply: "" };
  server.add(mail("1"));
  await vi.waitFor(() => expect(server.commands.at(-1)).toMatch(/SEARCH/), 20_000);
  await stop();
  server.instead = null;
  readInto(taken, server, store);
  await vi.waitFor(() => expect(taken).toStrictEqual(["1"]), 20_000);
});

test("ends although a mail is not taken, which is fetched again", { timeout: 60_000 }, async ({ store }) => {
  const server = await withServer();
  const taken: string[] = [];
  const never = Promise.withResolvers<void>();
  const asked: string[] = [];
  const take = ({ messageId = "" }) => (asked.push(messageId), never.promise);
  const { stop } = readInto([], server, store, { take });
  await isIdle(server);
  server.add(mail("1"));
  await vi.waitFor(() => expect(asked).toStrictEqual(["1"]), 20_000);
  await stop();
  never.reject(new Error("The store is closed."));
  readInto(taken, server, store, { waits: { pollMs: 20, retryMs: 5 } });
  await vi.waitFor(() => expect(taken).toStrictEqual(["1"]), 20_000);
});

test("is read by one of two processes, and by the other when that ends", async ({ store, tested }) => {
  const server = await withServer();
  const [taken, takenByOther]: [string[], string[]] = [[], []];
  const first = readInto(taken, server, store);
  await isIdle(server);
  readInto(takenByOther, server, await tested.openAgain(), { waits: { pollMs: 20 } });
  server.add(mail("1"));
  await vi.waitFor(() => expect(taken).toStrictEqual(["1"]), 20_000);
  await isIdle(server);
  expect(server.connections).toBe(1);
  await first.stop();
  server.add(mail("2"));
  await vi.waitFor(() => expect(takenByOther).toStrictEqual(["2"]), 20_000);
  expect(taken).toStrictEqual(["1"]);
});

test("asks a server that does not tell, and finds mails that were numbered anew", async ({ store }) => {
  const server = await withServer();
  server.idles = false;
  server.add(mail("long-ago"), new Date(0));
  const taken: string[] = [];
  // By our clock, which is ahead, no mail of the server is new.
  const clock = { ...store.clock, now: () => Date.now() + 7 * 24 * 60 * minute };
  readInto(taken, server, { ...store, clock }, { waits: { pollMs: 20, retryMs: 5 } });
  await vi.waitFor(() => expect(server.commands.some((command) => /SEARCH/.test(command))).toBe(true), 20_000);
  server.add(mail("1"));
  await vi.waitFor(() => expect(taken).toStrictEqual(["1"]), 20_000);
  server.add(mail("2"));
  server.numberAnew();
  server.dropConnections();
  // The one that is known is taken again, which makes no second answer.
  await vi.waitFor(() => expect(taken.slice(-2)).toStrictEqual(["1", "2"]), 20_000);
  expect(taken).not.toContain("long-ago");
});

test("counts what is refused, tries again, and speaks TLS", async ({ store }) => {
  const server = await withServer({ tls: true });
  server.password = "another";
  const taken: string[] = [];
  const settings = {
    host: "127.0.0.1",
    port: server.port,
    secure: true,
    user: "eve@example.org",
    password: "secret",
    mailbox: "Answers",
    rejectUnauthorized: false,
  };
  const { events } = readInto(taken, server, store, { settings });
  await vi.waitFor(() => expect(events.filter((event) => event === "refused").length).toBeGreaterThan(1), 20_000);
  server.password = "secret";
  await isIdle(server);
  server.add(mail("1"));
  await vi.waitFor(() => expect(taken).toStrictEqual(["1"]), 20_000);
  const strict = readInto([], server, store, { settings: { ...settings, mailbox: "Other", rejectUnauthorized: true } });
  await vi.waitFor(() => expect(strict.events).toContain("broken"), 20_000);
});
