// One service on a data folder: a second one is refused, and the command line works beside it.
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../../support/desk/run-command.ts";
import { buyer, json, rest } from "../../support/doors.ts";
import { startService } from "../../support/service.ts";
import { runToEnd } from "../../support/service-process.ts";

test("a second service on a data folder ends with 1 and says why; the first goes on, also beside commands", async () => {
  await using service = await startService();
  const { code, output } = await runToEnd({ DATA_DIR: service.dataFolder, PORT: "0" });
  expect(code).toBe(1);
  expect(output.trim().split("\n")).toHaveLength(1);
  expect(output).toContain("Another service is running on this database: stop it, or give this one another DATA_DIR.");
  const inquire = async () => expect((await rest.send(service, "marketplace.inquiry", json(buyer))).status).toBe(200);
  await inquire();
  for (const words of [
    ["export", "inquiries"],
    ["mail", "list"],
    ["mail", "retry"],
    ["migrate"],
    ["migrate", "--check"],
    ["backup", join(service.dataFolder, "backups")],
  ]) {
    const ended = await runCommand(words, { DATA_DIR: service.dataFolder });
    expect(ended.code, `${words.join(" ")}: ${ended.stderr}`).toBe(0);
  }
  await inquire();
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
});
