// One service on a data folder: a second one is refused, the command line works beside it, and whatever ended the first
// one, the next one starts.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../../support/desk/run-command.ts";
import { buyer, json } from "../../support/doors.ts";
import { runToEnd, startProcess } from "../../support/service-process.ts";

const inquire = (url: string) => fetch(`${url}/api/marketplace/inquiry`, { method: "POST", ...json(buyer) });

test("a second service on the same data folder ends with 1 and says why; the first one goes on", async () => {
  await using first = await startProcess();
  const { code, output } = await runToEnd({ DATA_DIR: first.dataFolder, PORT: "0" });
  expect(code).toBe(1);
  expect(output.trim().split("\n")).toHaveLength(1);
  expect(output).toContain("Another service is running on this database: stop it, or give this one another DATA_DIR.");
  expect((await inquire(first.url)).status).toBe(200);
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
});

test("the command line works beside a running service", async () => {
  await using service = await startProcess();
  expect((await inquire(service.url)).status).toBe(200);
  const env = { DATA_DIR: service.dataFolder };
  for (const words of [
    ["export", "inquiries"],
    ["mail", "list"],
    ["mail", "retry"],
    ["migrate"],
    ["migrate", "--check"],
    ["backup", join(service.dataFolder, "backups")],
  ]) {
    const { code, stderr } = await runCommand(words, env);
    expect(code, `${words.join(" ")}: ${stderr}`).toBe(0);
  }
  expect((await inquire(service.url)).status).toBe(200);
});

test("a service that was killed or stopped leaves nothing in the way of the next one", async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), "submissions-"));
  for (const signal of ["SIGKILL", "SIGTERM", "SIGKILL", "SIGKILL", "SIGTERM"] as const) {
    await using service = await startProcess({}, { dataFolder });
    expect((await inquire(service.url)).status).toBe(200);
    service.child.kill(signal);
    expect(await service.ended).toBe(signal === "SIGKILL" ? null : 0);
  }
  await rm(dataFolder, { recursive: true });
});
