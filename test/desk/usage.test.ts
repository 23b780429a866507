// What is not understood is refused before anything is opened.
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { runCommandLine } from "../../server/src/commands/program.ts";

function textSink(): { readonly stream: Writable; text(): string } {
  const pieces: string[] = [];
  const stream = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece.toString());
      done();
    },
  });
  return { stream, text: () => pieces.join("") };
}

const refuse = () => Promise.reject(new Error("This test opens nothing."));

async function runClosed(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const [output, messages] = [textSink(), textSink()];
  const code = await runCommandLine(words, {
    environment: {},
    clock: { now: () => 0 },
    openStore: refuse,
    openVault: refuse,
    openArchive: refuse,
    migrate: refuse,
    pendingMigrations: refuse,
    output: output.stream,
    messages: messages.stream,
  });
  return { code, stdout: output.text(), stderr: messages.text() };
}

test.each([
  [["nope"]],
  [[]],
  [["mail"]],
  [["export"]],
  [["export", "everything"]],
  [["export", "inquiries", "more"]],
  [["export", "inquiries", "--format", "xml"]],
  [["export", "inquiries", "--since", "2026-02-30"]],
  [["export", "inquiries", "--since", "2026-11-21T10:00"]],
  [["export", "inquiries", "--since", "yesterday"]],
  [["resume", "APP-20261121-000001"]],
  [["resume", "../../etc/passwd", "--output", "-"]],
  [["mail", "list", "--limit", "0"]],
  [["mail", "list", "--status", "lost"]],
  [["backup"]],
  [["copy"]],
  [["copy", "--to", "mysql://db.example/submissions"]],
  [["copy", "--to", "postgres://db.example/submissions?sslmode=perhaps"]],
  [["copy", "--to", "sqlite:"]],
  [["copy", "--resumes-to", "s3://x"]],
  [["check-config", "--unknown"]],
])("%j is not understood", async (words) => {
  const { code, stdout, stderr } = await runClosed(...words);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).not.toBe("");
});

test("a refused address of a store is not repeated, because there may be a password in it", async () => {
  for (const to of ["postgres://u:hunter2@db.example/s?sslmode=perhaps", "mysql://u:hunter2@db.example/s"]) {
    const { code, stderr } = await runClosed("copy", "--to", to);
    expect([code, stderr]).toEqual([2, expect.stringContaining("--to must") as string]);
    expect(stderr).not.toContain("hunter2");
  }
});

test.each(["--help", "export --help", "help resume", "mail retry --help", "mail help list"])(
  "%s is help, and no error",
  async (words) => {
    const { code, stdout, stderr } = await runClosed(...words.split(" "));
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Usage: npm run submissions -- /);
  },
);

test.each(["export", "resume", "mail list", "mail retry", "backup", "copy", "migrate", "check-config"])(
  "the help of %s has an example",
  async (command) => {
    const { stdout } = await runClosed(...command.split(" "), "--help");
    expect(stdout).toMatch(/Examples?:\n[^]*npm run (?:--silent )?submissions -- /);
  },
);

test("an unexpected error ends with 1 and tells its kind, not what it quotes", async () => {
  const { code, stdout, stderr } = await runClosed("mail", "list");
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("Unexpected error");
  expect(stderr).not.toContain("This test opens nothing");
});
