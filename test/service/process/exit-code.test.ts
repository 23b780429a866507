// The configuration as it is seen by the person who starts a program.
import { once } from "node:events";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../../support/desk/run-command.ts";
import { openFolder } from "../../support/folder.ts";
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
  ["check-config", () => finish(start("submissions.ts", ["check-config"], mistakes()))],
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

test("npm's scripts read .env, and the environment wins over it", async () => {
  await writeFile(join(folder().path, ".env"), "PORT=8080\nHOST=0.0.0.0\n");
  const child = start("submissions.ts", ["check-config"], { HOST: "127.0.0.2" }, { folder: folder().path });
  const { code, stdout, stderr } = await finish(child);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("PORT=8080\n");
  expect(stdout).toContain("HOST=127.0.0.2\n");
});

test("a blank value of .env is unset, and the line behind it stands for itself", async () => {
  await writeFile(
    join(folder().path, ".env"),
    `BRAND= \nMETRICS_TOKEN=${secret}${secret}\r\nSALES_EMAIL=\t\r\nPORT=8080\r\n`,
  );
  const { code, stdout } = await finish(start("submissions.ts", ["check-config"], {}, { folder: folder().path }));
  expect(code).toBe(0);
  expect(stdout).toContain("BRAND=Speech Marketplace\n");
  expect(stdout).toContain("METRICS_TOKEN=(set, not shown)\n");
  expect(stdout).toContain("SALES_EMAIL=sales@marketplace.example\n");
  expect(stdout).toContain("PORT=8080\n");
});

/** Root may read any file, so tests that run as root start these programs as this unprivileged user. */
const unprivilegedUid = 65_534;
const withoutRoot = process.getuid?.() === 0 ? { uid: unprivilegedUid } : {};

test.each([
  ["that is a folder", "EISDIR", (file: string) => mkdir(file)],
  ["that may not be read", "EACCES", (file: string) => writeFile(file, "PORT=8080\n", { mode: 0 })],
])("a .env %s ends every program with 78 and one plain line", async (_name, code, make) => {
  await make(join(folder().path, ".env"));
  await chmod(folder().path, 0o755);
  for (const program of ["main.ts", "submissions.ts"] as const) {
    const child = start(
      program,
      ["check-config"],
      { DATA_DIR: join(folder().path, "data") },
      { folder: folder().path, ...withoutRoot },
    );
    expect(await finish(child)).toMatchObject({
      code: 78,
      stdout: "",
      stderr: `The file .env cannot be read (${code}).\n`,
    });
  }
  expect(await readdir(folder().path)).toEqual([".env"]);
});

test("a taken port ends the service with 1 and one plain line", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { code, stdout, stderr } = await finish(start("main.ts", [], { DATA_DIR: folder().path, PORT: String(port) }));
  server.close();
  const line = `The service could not start: port ${port} of 127.0.0.1 is taken. Set PORT to another one.\n`;
  expect([code, stdout, stderr]).toEqual([1, "", line]);
});

test("a HOST that is not of this machine ends the service with 1 and one plain line", async () => {
  const environment = { DATA_DIR: folder().path, HOST: "192.0.2.1", PORT: "4711" };
  expect(await finish(start("main.ts", [], environment))).toMatchObject({
    code: 1,
    stdout: "",
    stderr:
      "The service could not start: port 4711 of 192.0.2.1 cannot be listened on (EADDRNOTAVAIL). Set HOST or PORT to another one.\n",
  });
});
