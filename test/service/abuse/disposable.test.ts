// Throw-away addresses are marked where the team sees them, and treated like any other: such an address may be all that an
// honest person wants to give.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { applicant, buyer, doors, form, json, pdf } from "../../support/doors.ts";
import { openFolder } from "../../support/folder.ts";
import { startService, type Service } from "../../support/service.ts";
import { runCommand } from "../../support/desk/run-command.ts";

const note = "Note: The e-mail address is at a host of throw-away addresses.";

/** The notices so far, as lines. */
async function noticesOf(service: Service): Promise<string[][]> {
  const mails = await service.mails();
  const notices = mails.filter(({ subject }) => subject?.startsWith("New "));
  return notices.map(({ text = "" }) => text.split(/\r?\n/));
}

test("throw-away addresses are taken at both doors, and marked in the notices and in exports", async () => {
  await using service = await startService();
  const addresses = ["ann@mailinator.com", "ann@MX.Sub.Mailinator.com", "ann@example.org"];
  for (const door of doors) {
    for (const email of addresses) {
      const answers = [
        await door.send(service, "marketplace.inquiry", json({ ...buyer, email })),
        await door.send(service, "applications.submit", form({ ...applicant, email, resumeFile: pdf() })),
        await door.send(service, "newsletter.subscribe", json({ email })),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    }
  }
  await expect.poll(() => noticesOf(service)).toHaveLength(12);
  const marks = (await noticesOf(service)).map((lines) => [
    lines.join().includes("ailinator.com"),
    lines.includes(note),
  ]);
  for (const [isDisposable, isMarked] of marks) expect(isMarked).toBe(isDisposable);
  expect(marks.filter(([isDisposable]) => isDisposable)).toHaveLength(8);

  const words = ["export", "inquiries", "--format", "csv"];
  const { stdout } = await runCommand(words, { DATA_DIR: service.dataFolder });
  const [header = [], ...rows] = stdout
    .trim()
    .split("\r\n")
    .map((line) => line.split(","));
  const column = header.indexOf('"emailDisposable"');
  const each = ['"true"', '"true"', '"false"'];
  expect(rows.map((row) => row[column])).toEqual([...each, ...each]);
});

test("hosts of the operator's own list are marked too, and those below them", async () => {
  await using folder = await openFolder();
  const file = join(folder.path, "domains.txt");
  await writeFile(file, "# ours\nThrowaway.Example # since May\n\n");
  await using service = await startService({ env: { DISPOSABLE_DOMAINS: file } });
  for (const host of ["throwaway.example", "mail.throwaway.example", "another.example", "mailinator.com"]) {
    await doors[0]?.send(service, "marketplace.inquiry", json({ ...buyer, email: `ann@${host}` }));
  }
  await expect.poll(() => noticesOf(service)).toHaveLength(4);
  const marked = (await noticesOf(service))
    .filter((lines) => lines.includes(note))
    .flat()
    .join("\n");
  for (const host of ["@throwaway", "@mail.throwaway", "@mailinator"]) expect(marked).toContain(host);
  expect(marked).not.toContain("@another");
});
