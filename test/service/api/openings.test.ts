// The openings that one may apply for: what a position means at either door, in forms and in exports.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Openings } from "../../../server/src/config/openings.ts";
import { operator } from "../../support/console/operator.ts";
import { runCommand } from "../../support/desk/run-command.ts";
import { applicant, doors, form, json, rest } from "../../support/doors.ts";
import { openFolder } from "../../support/folder.ts";
import { fields, postForm, problemAt, visit } from "../../support/pages.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";

const OPENINGS = new URL("../../fixtures/openings.json", import.meta.url).pathname;
const service = shared(() => startService({ env: { OPENINGS } }));

const applicationOf = async (reference: unknown) =>
  (await service().stored()).applications.find((one) => one.reference === reference);

describe.each(doors)("over $name", (door) => {
  const apply = (position: string, headers: Record<string, string> = {}) =>
    door.send(service(), "applications.submit", { ...form({ ...applicant, position }), headers });

  test.each([
    ["annotator", "Accent annotator", "annotator"],
    [" Accent annotator ", "Accent annotator", "annotator"],
    ["speaker", "Speaker", "speaker"],
    ["ACCENT   Annotator", "Accent annotator", "annotator"],
    ["Annotator", "Accent annotator", "annotator"],
    ["Something else", "Something else", undefined],
  ])("%j is stored as %j", async (position, title, opening) => {
    const { receipt } = await apply(position);
    const stored = await applicationOf(receipt?.["applicationId"]);
    expect([stored?.position, stored?.opening]).toEqual([title, opening]);
  });

  test.each(["engineer", "Speech engineer", " SPEECH  engineer ", "Engineer"])(
    "%j is closed, and nothing is stored",
    async (position) => {
      const before = (await service().stored()).applications.length;
      const answer = await apply(position);
      expect(answer).toMatchObject({
        status: 400,
        fault: { code: "BAD_REQUEST", issues: [{ path: ["position"], message: "“Speech engineer” is closed." }] },
      });
      expect((await service().stored()).applications).toHaveLength(before);
    },
  );

  test("a closed one is told together with what else is wrong", async () => {
    const wrong = form({ ...applicant, email: "x", position: "engineer" });
    const { fault } = await door.send(service(), "applications.submit", wrong);
    expect(fault?.issues?.map(({ path }) => path[0]).toSorted()).toEqual(["email", "position"]);
  });
});

test("the export has the opening in a column and a property", async () => {
  const { receipt } = await rest.send(service(), "applications.submit", json({ ...applicant, position: "annotator" }));
  const { stdout: csv } = await runCommand(["export", "applications", "--format", "csv"], service().sameData);
  const [head = "", ...lines] = csv.split("\r\n");
  const line = lines.find((one) => one.includes(String(receipt?.["applicationId"])));
  const behind = head.split(",").length - head.split(",").indexOf('"opening"');
  expect(line?.split(",").at(-behind)).toBe('"annotator"');
});

test("the console shows the opening behind its title, and counts applications by that title", async () => {
  const { receipt } = await rest.send(service(), "applications.submit", json({ ...applicant, position: "annotator" }));
  const admin = await operator(service(), "admin@example.org", "admin");
  const shown = await admin.call("submission.get", { reference: receipt?.["applicationId"] });
  const title = "Accent annotator";
  expect(shown.data).toMatchObject({ fields: { position: title, opening: "annotator" } });
  const other = await rest.send(service(), "applications.submit", json({ ...applicant, position: "Cook" }));
  const plain = await admin.call("submission.get", { reference: other.receipt?.["applicationId"] });
  expect(plain.data).not.toHaveProperty("fields.opening");
  const overview = await admin.call("overview.get", { days: 30 });
  expect(overview.data).toMatchObject({
    shares: { position: expect.arrayContaining([expect.objectContaining({ word: title })]) },
  });
});

test("a form without script offers what is open, and takes what is written under Other", async () => {
  const { text } = await visit(service(), "/");
  expect(text).toMatch(/<option value="annotator"\s*>Accent annotator – Lisbon<\/option>/);
  expect(text).not.toContain("Speech engineer");
  const filled = fields({ ...applicant, position: "*", otherPosition: "Cook" });
  const answer = await postForm(service(), "applications.submit", filled);
  const reference = /reference=(APP-[\d-]+)/.exec(answer.headers.get("location") ?? "")?.[1];
  expect((await applicationOf(reference))?.position).toBe("Cook");
  const empty = await postForm(
    service(),
    "applications.submit",
    fields({ ...applicant, position: "*", otherPosition: " " }),
  );
  expect([empty.status, problemAt(empty, "position")]).toEqual([400, "Enter the position you apply for."]);
  const again = await postForm(
    service(),
    "applications.submit",
    fields({ ...applicant, email: "x", position: "speaker" }),
  );
  expect(again.text).toMatch(/<option value="speaker"\s+selected/);
});

test("a repeated key is answered before openings are looked at", async () => {
  const folder = await openFolder();
  await using _ = folder;
  const file = join(folder.path, "openings.json");
  const write = (closes: string) => writeFile(file, JSON.stringify([{ id: "a", title: "A", closes }]));
  await write("2999-01-01");
  await using own = await startService({ env: { OPENINGS: file } });
  const send = (to: { readonly url: string }) => {
    const init = json({ ...applicant, position: "a" });
    return rest.send(to, "applications.submit", { ...init, headers: { ...init.headers, "idempotency-key": "one" } });
  };
  const first = await send(own);
  await own.stop();
  await write("2020-01-01");
  await using later = await startService({ env: { OPENINGS: file, ...own.sameData } });
  const second = await send(later);
  expect(second.receipt?.["applicationId"]).toBe(first.receipt?.["applicationId"]);
});

test("all mistakes of a file are named", async () => {
  await using folder = await openFolder();
  const file = join(folder.path, "openings.json");
  const wrong = [{ id: "a", title: "" }, 7, { id: "b", title: "B", closes: "soon" }, { id: "b", title: "C" }];
  await writeFile(file, JSON.stringify([...wrong, { id: "b", title: "D" }]));
  const { code, stderr } = await runCommand(["check-config"], { OPENINGS: file });
  expect(code).toBe(78);
  for (const mistake of ["opening 1 of the file has no usable title.", "opening 2 of the file is not an object."])
    expect(stderr).toContain(mistake);
  expect(stderr).toContain("opening 3 of the file has no usable closes.");
  expect(stderr).toContain("opening 5 of the file repeats an earlier id.");
});

test("of openings that differ in case, the one that is named exactly or that is open goes first", () => {
  const [closed, open] = ["2020-01-01", "2999-01-01"];
  const known = new Openings([
    { id: "engineer", title: "Platform engineer", closes: closed },
    { id: "2", title: "Engineer" },
    { id: "3", title: "ENGINEER", closes: open },
    { id: "Engineer 2", title: "Old job", closes: closed },
  ]);
  const ids = ["engineer", "Engineer", "ENGINEER", "eNGINEER", "old  JOB", "Cook"].map(
    (position) => known.named(position, Date.UTC(2026, 0, 1))?.id,
  );
  expect(ids).toEqual(["engineer", "2", "3", "2", "Engineer 2", undefined]);
});
