// The configuration as it is seen by the person who starts a program.
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../../support/desk/run-command.ts";
import { openFolder } from "../../support/folder.ts";
import { someOf } from "../../support/many-or-few.ts";
import { finish, start } from "../../support/program.ts";
import { anew } from "../../support/shared.ts";

const secret = "Hunter2Hunter2";
const folder = anew(openFolder);

const mistakes = () => ({
  DATA_DIR: folder().path,
  PORT: "many",
  MAIL_TRANSPORT: "smtp",
  SMTP_URL: `ftp://user:${secret}@mail.example`,
  POSTMARK_WEBHOOK_AUTH: secret,
  METRICS_TOKEN: secret,
  DATABASE_URL: `mysql://user:${secret}@db/x`,
});
const wrongNames = [
  "PORT",
  "SMTP_URL",
  "MAIL_FROM",
  "SALES_EMAIL",
  "RECRUITING_EMAIL",
  "POSTMARK_WEBHOOK_AUTH",
  "METRICS_TOKEN",
  "DATABASE_URL",
];

test.each([
  ["the service", () => finish(start("main.ts", [], mistakes()))],
  ["a command", () => runCommand(["export", "inquiries"], mistakes())],
])("%s names all mistakes, shows no secret, touches nothing and ends with 78", async (_name, run) => {
  const { code, stdout, stderr } = await run();
  expect([code, stdout]).toEqual([78, ""]);
  for (const name of wrongNames) expect(stderr).toContain(`  ${name}: `);
  expect(stderr).not.toContain(secret);
  expect(await readdir(folder().path)).toEqual([]);
});

test("check-config shows what is in force without its secrets, and warns of misspelt names", async () => {
  const { code, stdout, stderr } = await runCommand(["check-config"], {
    DATA_DIR: folder().path,
    MAIL_TRANSPORT: "postmark",
    POSTMARK_SERVER_TOKEN: secret,
    MAIL_FROM: "Desk <desk@example.org>",
    SALES_EMAIL: "sales@example.org",
    RECRUITING_EMAIL: "jobs@example.org",
    CORS_ORIGIN: secret,
  });
  expect(code).toBe(0);
  expect(stdout).toContain("MAIL_FROM=Desk <desk@example.org>\n");
  expect(stdout).toContain("POSTMARK_SERVER_TOKEN=(set, not shown)\n");
  expect(stderr).toBe("Warning: CORS_ORIGIN is no setting of this service. Do you mean CORS_ORIGINS?\n");
  expect(stdout).not.toContain(secret);
  expect(await readdir(folder().path)).toEqual([]);
});

test("npm's scripts read .env, whose blank values are unset, and the environment wins over it", async () => {
  const lines = [`BRAND= \nMETRICS_TOKEN=${secret}${secret}\r`, "SALES_EMAIL=\t\r", "PORT=8080\r", "HOST=0.0.0.0", ""];
  await writeFile(join(folder().path, ".env"), lines.join("\n"));
  const child = start("submissions.ts", ["check-config"], { HOST: "127.0.0.2" }, { folder: folder().path });
  const { code, stdout, stderr } = await finish(child);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("BRAND=Speech Marketplace\n");
  expect(stdout).toContain("METRICS_TOKEN=(set, not shown)\n");
  expect(stdout).toContain("SALES_EMAIL=sales@marketplace.example\n");
  expect(stdout).toContain("PORT=8080\n");
  expect(stdout).toContain("HOST=127.0.0.2\n");
});

// By day the first: the files of the other tests are UTF-8.
const encodings: readonly [string, (text: string) => Buffer][] = [
  ["UTF-16", (text) => Buffer.from(`\uFEFF${text}`, "utf16le")],
  ["UTF-16 with the larger byte first", (text) => Buffer.from(`\uFEFF${text}`, "utf16le").swap16()],
  ["UTF-8 with a byte-order mark", (text) => Buffer.from(`\uFEFF${text}`)],
];
test.each(someOf(encodings))("the first setting of a .env in %s counts", async (_, encoded) => {
  await writeFile(join(folder().path, ".env"), encoded("PORT=4450\r\nBRAND=Grüße\r\n"));
  const { code, stdout, stderr } = await finish(
    start("submissions.ts", ["check-config"], {}, { folder: folder().path }),
  );
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("PORT=4450\n");
  expect(stdout).toContain("BRAND=Grüße\n");
});

/** Root may read any file, so tests that run as root start these programs as this unprivileged user. */
const unprivilegedUid = 65_534;
const withoutRoot = process.getuid?.() === 0 ? { uid: unprivilegedUid } : {};

// Both programs load the same module, which reads it.
test.each([
  ["that is a folder", "main.ts", "EISDIR", (file: string) => mkdir(file)],
  ["that may not be read", "submissions.ts", "EACCES", (file: string) => writeFile(file, "PORT=8080\n", { mode: 0 })],
] as const)("a .env %s ends %s with 78 and one plain line", async (_name, program, code, make) => {
  await make(join(folder().path, ".env"));
  await chmod(folder().path, 0o755);
  const environment = { DATA_DIR: join(folder().path, "data") };
  const child = start(program, ["check-config"], environment, { folder: folder().path, ...withoutRoot });
  const stderr = `The file .env cannot be read (${code}).\n`;
  expect(await finish(child)).toMatchObject({ code: 78, stdout: "", stderr });
  expect(await readdir(folder().path)).toEqual([".env"]);
});
