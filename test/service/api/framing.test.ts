// Whatever bytes a resume holds, wherever the network cuts the request, and whatever white space a gateway adds to its
// delimiters, both doors keep exactly these bytes.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { json as readJson } from "node:stream/consumers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { addresses, applicant } from "../../support/doors.ts";
import { manyOrFew } from "../../support/many-or-few.ts";
import { startService } from "../../support/service.ts";

const boundary = "b0undary";
const part = (name: string, more = "") =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
const fields = Object.entries(applicant).map(([name, value]) => `${part(name)}${value}\r\n`);
const beforeResume = `${fields.join("")}${part("resumeFile", '; filename="cv.pdf"')}`;
const after = Buffer.from(`\r\n--${boundary}--\r\n`);

const nearlyDelimiters = [
  "\r",
  "\n",
  "\r\n",
  "--",
  "\r\n--",
  "\r\n-",
  `--${boundary}`,
  `\n--${boundary}--`,
  "\r\n--b0undar",
];
const content = fc
  .array(
    fc.oneof(fc.constantFrom(...nearlyDelimiters).map(Buffer.from), fc.uint8Array({ maxLength: 40 }).map(Buffer.from)),
    { maxLength: 60 },
  )
  .map((pieces) => Buffer.concat(pieces))
  .filter((bytes) => !`\r\n${bytes.toString("latin1")}\r\n`.includes(`\r\n--${boundary}`))
  .map((bytes) => Buffer.concat([Buffer.from("%PDF-1.7\n"), bytes, Buffer.from("\nstartxref\n0\n%%EOF\n")]));

test("whatever the bytes, and wherever they are cut, they are kept as they were sent", async () => {
  await using service = await startService();
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });
  const padding = fc.constantFrom("", " ", "\t \t", " ".repeat(999));
  const path = fc.constantFrom(addresses["applications.submit"], "/trpc/applications.submit");
  const sent: string[] = [];
  await fc.assert(
    fc.asyncProperty(content, cuts, path, padding, async (resume, shares, address, blanks) => {
      const before = Buffer.from(beforeResume.replaceAll(`--${boundary}`, `--${boundary}${blanks}`));
      const body = Buffer.concat([before, resume, after]);
      const call = request(service.url + address, {
        method: "POST",
        headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
      });
      const answered = once(call, "response");
      let from = 0;
      for (const to of shares.map((share) => Math.floor(share * body.length)).toSorted((a, b) => a - b)) {
        // Written to the socket before the next piece is.
        if (to > from) await new Promise((resolve) => call.write(body.subarray(from, to), resolve));
        from = to;
      }
      call.end(body.subarray(from));
      const [response] = (await answered) as [Parameters<typeof readJson>[0] & { readonly statusCode: number }];
      await readJson(response);
      expect(response.statusCode).toBe(200);
      sent.push(createHash("sha256").update(resume).digest("hex"));
    }),
    { numRuns: manyOrFew(200) },
  );
  const { applications } = await service.stored();
  expect(applications.map(({ resume }) => resume?.sha256 ?? "").toSorted()).toEqual(sent.toSorted());
});
