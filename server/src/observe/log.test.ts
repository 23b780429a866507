import { describe, expect, test } from "vitest";
import { StorageUnavailable } from "../storage/store.ts";
import { describeError, messageForOperator } from "./describe-error.ts";
import { createLog, type LogFacts, type LogLevel } from "./log.ts";

function logged(level: LogLevel = "info", isTTY = false) {
  const lines: string[] = [];
  return { log: createLog(level, { isTTY, write: (line) => lines.push(line) }, () => 0), lines };
}

describe("log", () => {
  test("writes one JSON line an event", () => {
    const { log, lines } = logged();
    log.warn({ requestId: "r-1", status: 503, ms: 1.5 }, "answered");
    expect(lines).toEqual([
      '{"level":"warn","time":"1970-01-01T00:00:00.000Z","requestId":"r-1","status":503,"ms":1.5,"msg":"answered"}\n',
    ]);
  });

  test("writes nothing below its level", () => {
    const { log, lines } = logged("error");
    log.info("a");
    log.warn({ status: 1 }, "b");
    log.error("c");
    expect(lines).toHaveLength(1);
  });

  test("drops everything that is not a known fact", () => {
    const { log, lines } = logged();
    const facts = {
      email: "ann@a.org",
      req: { url: "/x?token=secret" },
      reference: { name: "Ann" },
      status: 200,
    };
    log.info(facts as unknown as LogFacts, "answered");
    expect(lines.join("")).not.toMatch(/ann|secret/i);
    expect(lines[0]).toContain('"status":200');
  });

  test("does not repeat what a library's error says", () => {
    const { log, lines } = logged();
    const error = new TypeError("cannot send to ann@example.org");
    log.error({ err: error }, error.message);
    log.error(error as unknown as LogFacts, error.message);
    log.error({ err: error });
    log.error(error as unknown as LogFacts);
    expect(lines.join("")).not.toContain("ann@");
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(line).toContain('"type":"TypeError"');
  });

  test("writes of an error of ours its type, its message, where it was thrown and what caused it", () => {
    const { log, lines } = logged();
    const cause = Object.assign(new Error("connect to 10.0.0.7"), { code: "ECONNREFUSED" });
    const error = new StorageUnavailable("The database cannot be reached.", { cause });
    log.error({ err: error }, "failed");
    log.error(error as unknown as LogFacts, "failed");
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect((JSON.parse(line) as { err: unknown }).err).toEqual({
        type: "StorageUnavailable",
        message: "The database cannot be reached.",
        at: expect.arrayContaining([expect.stringMatching(/^server\/src\/observe\/log\.test\.ts:\d+:\d+$/)]),
        cause: { type: "Error", code: "ECONNREFUSED", at: expect.any(Array) },
      });
    }
  });

  test("drops query strings from the messages of a framework", () => {
    const { log, lines } = logged();
    log.info("Route GET:/newsletter/confirm?token=abc not found");
    expect(lines[0]).toContain('"Route GET:/newsletter/confirm?… not found"');
  });

  test("no text can forge a second line or repaint a terminal", () => {
    for (const isTTY of [false, true]) {
      const { log, lines } = logged("info", isTTY);
      log.info({ code: "a\nb\u001b[2J" }, "c\nd\u001b[2J");
      expect(lines.join("").trimEnd()).not.toMatch(/\p{Cc}/u);
    }
  });

  test("is one readable line on a terminal", () => {
    const { log, lines } = logged("info", true);
    log.info({ requestId: "r-1", status: 200 }, "answered");
    expect(lines).toEqual(["00:00:00.000 INFO  answered requestId=r-1 status=200\n"]);
  });
});

describe("description of an error", () => {
  test.each([
    [null, { type: "null" }],
    ["ann@example.org", { type: "string" }],
    [{ code: "x" }, { type: "object" }],
  ])("of %j, which is no error, is its type alone", (thrown, expected) => {
    expect(describeError(thrown)).toEqual(expected);
  });

  test("ends with circular causes", () => {
    const error = new Error("round");
    error.cause = error;
    expect(JSON.stringify(describeError(error)).length).toBeLessThan(5000);
  });

  test("keeps the code of PostgreSQL, and drops codes that are not constants", () => {
    expect(describeError(Object.assign(new Error("x"), { code: "22P02" }))).toHaveProperty("code", "22P02");
    expect(describeError(Object.assign(new Error("x"), { code: "ann@example.org" }))).not.toHaveProperty("code");
  });
});

test("an operator may read our own messages with the code of their cause, and those of the system, but no others", () => {
  const cause = Object.assign(new Error("ann@example.org"), { code: "SQLITE_NOTADB" });
  const ours = new StorageUnavailable("The database cannot be read.", { cause });
  const system = Object.assign(new Error("EACCES: permission denied, mkdir '/data'"), { syscall: "mkdir" });
  expect(messageForOperator(ours)).toBe("The database cannot be read. (SQLITE_NOTADB)");
  expect(messageForOperator(system)).toBe("EACCES: permission denied, mkdir '/data'");
  for (const error of [cause, "ann@example.org", null]) expect(messageForOperator(error)).toBeNull();
});
