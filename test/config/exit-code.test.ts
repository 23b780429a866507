// Mistakes in the configuration, as whoever starts a program sees them.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { exitOf, runCommand, start } from "../desk/run-command.ts";

const secret = "Hunter2Hunter2";
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "config-"));
});
afterEach(() => rm(folder, { recursive: true }));

const mistakes = () => ({
  DATA_DIR: folder,
  PORT: "many",
  MAIL_TRANSPORT: "smtp",
  SMTP_URL: `ftp://user:${secret}@mail.example`,
  POSTMARK_WEBHOOK_AUTH: secret,
  DATABASE_URL: `mysql://user:${secret}@db/x`,
});
const wrongNames = [
  "PORT",
  "SMTP_URL",
  "MAIL_FROM",
  "SALES_EMAIL",
  "RECRUITING_EMAIL",
  "POSTMARK_WEBHOOK_AUTH",
  "DATABASE_URL",
];

test.each([
  ["the service", "main.ts", []],
  ["check-config", "submissions.ts", ["check-config"]],
  ["a command", "submissions.ts", ["export", "inquiries"]],
] as const)(
  "%s names all mistakes, shows no secret, touches nothing and ends with 78",
  async (_name, program, words) => {
    const child = start(program, words, mistakes());
    const [code, stdout, stderr] = await Promise.all([exitOf(child), text(child.stdout), text(child.stderr)]);
    expect([code, stdout]).toEqual([78, ""]);
    for (const name of wrongNames) expect(stderr).toContain(`  ${name}: `);
    expect(stderr).not.toContain(secret);
    expect(await readdir(folder)).toEqual([]);
  },
);

test("check-config shows what is in force without its secrets", async () => {
  const { code, stdout } = await runCommand(["check-config"], {
    DATA_DIR: folder,
    MAIL_TRANSPORT: "postmark",
    POSTMARK_SERVER_TOKEN: secret,
    MAIL_FROM: "Desk <desk@example.org>",
    SALES_EMAIL: "sales@example.org",
    RECRUITING_EMAIL: "jobs@example.org",
  });
  expect(code).toBe(0);
  expect(stdout).toContain("MAIL_FROM=Desk <desk@example.org>\n");
  expect(stdout).toContain("POSTMARK_SERVER_TOKEN=(set, not shown)\n");
  expect(stdout).not.toContain(secret);
  expect(await readdir(folder)).toEqual([]);
});
