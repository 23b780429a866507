// What the command line does with webhooks.
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { accept, inquiry, lease, noon } from "../../contract/records.ts";
import { openFolder } from "../../support/folder.ts";
import { anew } from "../../support/shared.ts";
import { runCommand } from "../../support/desk/run-command.ts";

const folder = anew(openFolder);

const run = (...words: string[]) => runCommand(["webhooks", ...words], { DATA_DIR: folder().path });
const open = () => openStore({ kind: "sqlite", file: join(folder().path, "submissions.sqlite") });
const linesOf = (text: string) => text.trimEnd().split("\n");
const url = "https://crm.example.org/hook";

test("add prints the secret, and nothing shows it again", async () => {
  const added = await run("add", "--event", "inquiry.received", url, "--event", "subscriber.confirmed");
  expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining("Webhook 1 is added") as string });
  expect(added.stdout).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
  await run("add", url);
  const [, one, two] = linesOf((await run("list")).stdout);
  expect(one).toMatch(/^1 +\d{4}\S+ +https:\/\/crm\.example\.org\/hook +inquiry\.received subscriber\.confirmed$/);
  expect(two).toMatch(
    /inquiry\.received application\.received answer\.received subscriber\.confirmed subscriber\.unsubscribed submission\.changed person\.erased$/,
  );
  const rotated = await run("rotate", "1");
  expect(rotated.stdout).toMatch(/^whsec_/);
  expect(rotated.stdout).not.toBe(added.stdout);
  expect(rotated.stderr).toMatch(/works until \d{4}-/);
  const shown = [await run("list"), await run("log")].map(({ stdout, stderr }) => stdout + stderr).join("");
  expect(shown).not.toContain("whsec_");
});

test("log lists deliveries, and replay sends them again", async () => {
  await run("add", url);
  await using store = await open();
  const reference = (await accept(store, inquiry(1))).reference ?? "";
  const [delivery] = await store.deliveries.claim(noon, 1, lease);
  const id = delivery?.id ?? "";
  await store.deliveries.settle([{ id, at: noon, result: "failed", answer: "HTTP 410" }], lease.owner);
  const [, row] = linesOf((await run("log", "1", "--limit", "5")).stdout);
  const at = "2026-11-21T12:00:00Z";
  expect(row?.split(/ {2,}/)).toEqual([id, "1", "inquiry.received", reference, "failed", "1", at, at, "HTTP 410"]);
  expect(JSON.parse((await run("log", "--json")).stdout)).toMatchObject([{ id, endedAt: "2026-11-21T12:00:00.000Z" }]);
  expect(await run("log", "2")).toMatchObject({ code: 1, stdout: "", stderr: "There is no webhook 2.\n" });
  expect(await run("replay", id)).toMatchObject({ code: 0, stderr: "1 delivery is due now.\n" });
  expect(await run("replay", "--failed", "1")).toMatchObject({ code: 0, stderr: "0 deliveries are due now.\n" });
  expect((await run("log")).stdout).toContain("queued");
});

test("remove removes, and what does not exist is told", async () => {
  await run("add", url);
  expect(await run("remove", "1")).toMatchObject({ code: 0, stderr: "Webhook 1 is removed.\n" });
  for (const words of ["remove 1", "rotate 1", "log 1", "replay --failed 1", "replay msg_1-1"]) {
    expect(await run(...words.split(" ")), words).toMatchObject({ code: 1, stdout: "" });
  }
  expect(await run("list")).toMatchObject({ code: 0, stdout: "", stderr: "No webhooks.\n" });
  expect(await run("log")).toMatchObject({ code: 0, stdout: "", stderr: "No deliveries.\n" });
  expect((await run("list", "--json")).stdout).toBe("[]\n");
});
