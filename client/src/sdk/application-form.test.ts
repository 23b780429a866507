// What a job application looks like as a form.
import { expect, test } from "vitest";
import { applicationForm } from "./application-form.ts";

const person = { fullName: "Ana Souza", email: "ana@example.org", position: "Accent annotator" };

test("writes every field that holds something, and leaves out blank and undefined ones", () => {
  const form = applicationForm({ ...person, phone: undefined, company: "", accent: " \t\n", availability: " May " });
  expect([...form]).toEqual([...Object.entries(person), ["availability", " May "]]);
});

test("takes null for absent, as programs without types have it", () => {
  const untyped = { ...person, company: null } as unknown as typeof person;
  expect([...applicationForm(untyped)]).toEqual(Object.entries(person));
});

test("leaves out objects and lists, as the service does", () => {
  const untyped = { ...person, phone: { home: 1 }, company: ["a", "b"] } as unknown as typeof person;
  expect([...applicationForm(untyped)]).toEqual(Object.entries(person));
});

test("takes numbers and booleans as text, as programs without types have them", () => {
  const untyped = { ...person, phone: 4_930_901_820, availability: 0, accent: false } as unknown as typeof person;
  const texts = { ...person, phone: "4930901820", availability: "0", accent: "false" };
  expect([...applicationForm(untyped)]).toEqual(Object.entries(texts));
});

test.each([
  ["a file's own name", new File(["x"], "Ana Souza.pdf"), undefined, "Ana Souza.pdf"],
  ["the name that is asked for", new File(["x"], "scan0001.pdf"), "ana.pdf", "ana.pdf"],
  ["the name that is asked for", new Blob(["x"]), "ana.pdf", "ana.pdf"],
  ["a plain name for a blob", new Blob(["x"], { type: "application/pdf" }), undefined, "resume"],
  ["a plain name for a file without one", new File(["x"], ""), undefined, "resume"],
])("gives the resume %s", async (_, resumeFile, asked, name) => {
  const sent = applicationForm({ ...person, resumeFile }, asked).get("resumeFile") as File;
  expect(sent.name).toBe(name);
  expect(sent.type).toBe(resumeFile.type);
  expect(await sent.text()).toBe("x");
});

test("keeps an empty file that was chosen, so that the service can refuse it", () => {
  expect(applicationForm({ ...person, resumeFile: new File([], "cv.pdf") }).has("resumeFile")).toBe(true);
  expect(applicationForm({ ...person, resumeFile: new Blob([]) }).has("resumeFile")).toBe(true);
});

test.each(["", "undefined"])("takes a form with its unknown fields, and leaves out the empty file %j", (name) => {
  const ready = new FormData();
  ready.append("fullName", "Ana Souza");
  ready.append("utm", "a");
  ready.append("utm", "b");
  ready.append("company", "");
  ready.append("resumeFile", new File([], name));
  expect([...applicationForm(ready)]).toEqual([
    ["fullName", "Ana Souza"],
    ["utm", "a"],
    ["utm", "b"],
  ]);
});

test("takes the files of Bun's forms, which are blobs: by their names, and the empty one without a name for none", () => {
  const read = (resume: Blob) => {
    const ready = new FormData();
    ready.entries = () => new Map<string, FormDataEntryValue>([["resumeFile", resume as File]]).entries();
    return applicationForm(ready).get("resumeFile") as File | null;
  };
  expect(read(Object.assign(new Blob(["x"]), { name: "ana.pdf" }))?.name).toBe("ana.pdf");
  expect(read(Object.assign(new Blob([]), { name: "ana.pdf" }))?.size).toBe(0);
  expect(read(new Blob(["x"]))?.name).toBe("resume");
  expect(read(Object.assign(new Blob([]), { name: undefined }))).toBeNull();
});
