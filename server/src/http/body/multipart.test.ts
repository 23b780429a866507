// What one reader makes of a form: where its parts go, and which problems are told together.
import { mkdtempDisposable, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import multipart from "@fastify/multipart";
import { applicationInput } from "@submissions/shared/application";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { Fault } from "../../fault.ts";
import type { StagedResume } from "../../resumes/vault.ts";
import { inputRefused } from "../../rpc/failure.ts";
import { FormBody, formShapes } from "./form-body.ts";
import { MultipartForm } from "./multipart.ts";

const applicant = { fullName: "Ana Souza", email: "ana@example.org", position: "Annotator" };
const pdf = "%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\nstartxref\n0\n%%EOF\n";

interface Part {
  readonly name: string;
  readonly value: string;
  readonly filename?: string;
  readonly type?: string;
}

const fields = (values: Readonly<Record<string, string>>): Part[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }));
const resume = (value: string, filename = "cv.pdf"): Part => ({ name: "resumeFile", value, filename });

const bodyOf = (parts: readonly Part[]) =>
  parts
    .map(({ name, value, filename, type }) => {
      const file = filename === undefined ? "" : `; filename="${filename}"`;
      const typed = type === undefined ? "" : `\r\nContent-Type: ${type}`;
      return `--b\r\nContent-Disposition: form-data; name="${name}"${file}${typed}\r\n\r\n${value}\r\n`;
    })
    .join("") + "--b--\r\n";

interface Outcome {
  readonly further?: unknown;
  readonly form?: [string, unknown][];
  readonly resume?: StagedResume | null;
  readonly fault?: Fault;
}

async function read(body: string | Buffer): Promise<Outcome> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "staging-"));
  await using app = Fastify();
  await app.register(multipart, { throwFileSizeLimit: false });
  let outcome: Outcome = {};
  app.post("/", async (request) => {
    const vault = { stagingFolder: folder.path, hasRoom: async () => true };
    const form = new MultipartForm(request, new FormBody(formShapes["applications.submit"]!), {
      vault,
      awaitTurn: async () => {},
      patienceBytes: 0,
    });
    try {
      const input = await form.read();
      const { error } = applicationInput.safeParse(input.value);
      if (input.problems.length > 0) throw inputRefused(error, input.problems);
      outcome = { form: [...(input.value as FormData)], resume: input.resume, further: input.further };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      outcome = { fault: error };
    } finally {
      await form.unstage();
    }
    return "";
  });
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  const { statusCode } = await app.inject({ method: "POST", url: "/", headers, payload: body });
  expect(statusCode).toBe(200);
  expect(await readdir(folder.path)).toEqual([]);
  return outcome;
}

test("an empty resume is a wrong field", async () => {
  expect((await read(bodyOf([...fields(applicant), resume("")]))).fault).toMatchObject({
    fault: "fieldsInvalid",
    issues: [{ path: ["resumeFile"], message: "The file is empty." }],
  });
  for (const name of ["", "undefined", "null"])
    expect((await read(bodyOf([...fields(applicant), resume("", name)]))).form).toEqual(Object.entries(applicant));
  // Also before or behind a resume.
  const parts = [resume("", ""), resume(pdf)];
  for (const sent of [parts, parts.toReversed()])
    expect((await read(bodyOf([...fields(applicant), ...sent]))).resume).toMatchObject({ kind: "pdf" });
});

test("a part that calls itself JSON may be a text or null, which is an absent field, and nothing else", async () => {
  const json = (value: string): Part => ({ name: "accent", value, type: "application/json" });
  const { form } = await read(bodyOf([...fields(applicant), json('"Scottish"')]));
  expect(form?.at(-1)).toEqual(["accent", "Scottish"]);
  expect((await read(bodyOf([...fields(applicant), json("null")]))).form).toEqual(Object.entries(applicant));
  for (const value of ["{}", "1"]) {
    expect((await read(bodyOf([...fields(applicant), json(value)]))).fault).toMatchObject({
      fault: "fieldsInvalid",
      issues: [{ path: ["accent"], message: "This field must be one text." }],
    });
  }
  for (const value of ["{", '"half of a pair: \\ud800"']) {
    expect((await read(bodyOf([...fields(applicant), json(value)]))).fault?.fault).toBe("bodyMalformed");
  }
});

test.each(["text/plain", "text/plain; charset=us-ascii", "text/plain; charset=base64"])(
  "a text of the type %s is UTF-8, U+FFFD as well",
  async (type) => {
    const accent = { name: "accent", value: "Zoë said \uFFFD", type };
    expect((await read(bodyOf([...fields(applicant), accent]))).form?.at(-1)).toEqual(["accent", "Zoë said \uFFFD"]);
    const latin = Buffer.from(bodyOf([...fields(applicant), { ...accent, value: "Zo\u00EB" }]), "latin1");
    expect((await read(latin)).fault?.fault).toBe("bodyMalformed");
  },
);

test("a field that the form does not have is not decoded", async () => {
  const other = Buffer.from(bodyOf([...fields(applicant), { name: "note", value: "Zo\u00EB" }]), "latin1");
  expect((await read(other)).form).toEqual(Object.entries(applicant));
});

test("a hidden field of another kind is a text", async () => {
  const trap = { name: "website", value: "1", type: "application/json" };
  expect((await read(bodyOf([...fields(applicant), trap]))).form?.at(-1)).toEqual(["website", "1"]);
});

test("a file name is decoded before its path is taken off", async () => {
  for (const name of ["=?UTF-8?B?Tm/Dq2wgQ1YucGRm?=", "C:\\letters\\Noël CV.pdf", "/home/noel/Noël CV.pdf"]) {
    expect((await read(bodyOf([...fields(applicant), resume(pdf, name)]))).resume?.filename).toBe("Noël CV.pdf");
  }
});

test.each([
  ["a text that is encoded", 'name="accent"\r\nContent-Transfer-Encoding: base64', "Wm/Dqw=="],
  ["a file name within the name", 'name="resumeFile; filename="cv.pdf"', pdf],
  ["a file without a name", 'filename="cv.pdf"', pdf],
  ["a text without a name", "", "x"],
])("%s is refused", async (_, header, value) => {
  const part = `--b\r\nContent-Disposition: form-data; ${header}\r\n\r\n${value}\r\n`;
  expect((await read(part + bodyOf(fields(applicant)))).fault?.fault).toBe("bodyMalformed");
});

test("files where none belong are named, however many", async () => {
  const parts = [...fields(applicant), ...Array.from({ length: 4 }, () => resume(pdf))];
  const { fault, issues } = (await read(bodyOf(parts))).fault ?? {};
  const another = { path: ["resumeFile"], message: "Send one resume only." };
  expect([fault, issues]).toEqual(["fieldsInvalid", [another, another, another]]);
});

test("a field that is too long is named, also in a form that is URL-encoded; one that the form does not have is left out", async () => {
  const long = "x".repeat(100_001);
  const named = [{ path: ["coverLetter"], message: "This field is too long." }];
  const add = (name: string) => {
    const form = new FormBody(formShapes["applications.submit"]!);
    form.addPairs(new URLSearchParams([[name, long]]));
    return form.further;
  };
  expect((await read(bodyOf(fields({ coverLetter: long })))).fault?.issues).toEqual(named);
  expect(() => add("coverLetter")).toThrow(expect.objectContaining({ fault: "fieldTooLarge", issues: named }));
  expect((await read(bodyOf(fields({ ...applicant, zz: long, y: "kept" })))).further).toEqual([["y", "kept"]]);
  expect(add("zz")).toEqual([]);
});
