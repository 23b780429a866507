// The operator's word for a run of retention.
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { accept, inquiries, inquiry, noon } from "../../contract/records.ts";
import { openFolder } from "../../support/folder.ts";
import { runCommand } from "../../support/desk/run-command.ts";

test("retention shows what is outdated, and erases it only when it is told to", async () => {
  await using folder = await openFolder();
  await using store = await openStore({ kind: "sqlite", file: join(folder.path, "submissions.sqlite") });
  const dayMs = 24 * 60 * 60 * 1000;
  for (let number = 0; number < 3; number += 1) await accept(store, inquiry(number, { receivedAt: noon - 30 * dayMs }));
  await accept(store, inquiry(3, { receivedAt: store.clock.now() }));
  const run = (...words: string[]) =>
    runCommand(["retention", ...words], { DATA_DIR: folder.path, RETENTION_DAYS_INQUIRIES: "1" });
  const asked = await run();
  expect(asked).toMatchObject({ code: 1, stdout: "" });
  expect(asked.stderr).toMatch(/^inquiry: 3 of 4, received before 20.+\n.+repeat it with --yes/);
  expect(await inquiries(store)).toHaveLength(4);
  const told = await run("--yes");
  expect(told.code).toBe(0);
  expect(told.stderr).toContain("Erased: inquiry, 3.\n");
  expect(await inquiries(store)).toHaveLength(1);
  expect((await store.desk.listAudit({})).rows).toMatchObject([
    { operator: "command line", action: "retention", subject: "inquiries", detail: { submissions: 3 } },
  ]);
  expect(await run("--yes")).toMatchObject({ code: 0, stderr: "Nothing is outdated.\n" });
});
