// Throw-away addresses are marked for the team, and treated like any other: such an address may be all that an honest
// person wants to give.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { applicant, buyer, doors, form, json, pdf } from "../support/doors.ts";
import { startService, type Service } from "../support/service.ts";
import { runCommand } from "../desk/run-command.ts";

const note = "Note: The e-mail address is at a host of throw-away addresses.";

async function noticesOf(service: Service): Promise<string[]> {
  await service.stop();
  const mails = await service.mails();
  return mails.filter(({ subject }) => subject?.startsWith("New ")).map(({ text = "" }) => text);
}

describe.each(doors)("on the $name door", (door) => {
  test.each([
    ["ann@mailinator.com", true],
    ["ann@MX.Sub.Mailinator.com", true],
    ["ann@example.org", false],
  ])("%s is taken, and marked where it should be: %s", async (email, disposable) => {
    await using service = await startService();
    const answers = [
      await door.send(service, "marketplace.inquiry", json({ ...buyer, email })),
      await door.send(service, "applications.submit", form({ ...applicant, email, resumeFile: pdf() })),
      await door.send(service, "newsletter.subscribe", json({ email })),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const marked = [{ emailDisposable: disposable }];
    expect(await service.stored()).toMatchObject({ inquiries: marked, applications: marked, subscribers: marked });
    const notices = await noticesOf(service);
    expect(notices.map((text) => text.split("\r\n").join("\n").split("\n").includes(note))).toEqual([
      disposable,
      disposable,
    ]);
  });
});

test("hosts of the operator's own list are marked too, and those below them", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "domains-"));
  const file = join(folder.path, "domains.txt");
  await writeFile(file, "# ours\nThrowaway.Example # since May\n\n");
  await using service = await startService({ env: { DISPOSABLE_DOMAINS: file } });
  for (const host of ["throwaway.example", "mail.throwaway.example", "another.example", "mailinator.com"]) {
    await doors[0]?.send(service, "marketplace.inquiry", json({ ...buyer, email: `ann@${host}` }));
  }
  const { inquiries } = await service.stored();
  expect(inquiries.map(({ emailDisposable }) => emailDisposable)).toEqual([true, true, false, true]);
});

test("exports say it in their last column", async () => {
  await using service = await startService();
  await doors[0]?.send(service, "marketplace.inquiry", json({ ...buyer, email: "ann@mailinator.com" }));
  await doors[0]?.send(service, "marketplace.inquiry", json(buyer));
  const environment = { PATH: process.env["PATH"] ?? "", DATA_DIR: service.dataFolder };
  const { stdout } = await runCommand(["export", "inquiries", "--format", "csv"], environment);
  expect(
    stdout
      .trim()
      .split("\r\n")
      .map((line) => line.split(",").at(-1)),
  ).toEqual(['"emailDisposable"', '"true"', '"false"']);
});
