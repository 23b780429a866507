// The memory of a process that takes many large uploads at once.
import { request } from "node:http";
import { expect } from "vitest";
import { addresses, applicant } from "../../support/doors.ts";
import { atNight, nightly } from "../../support/many-or-few.ts";
import { startProcess } from "../../support/service-process.ts";

// With the service itself, 48 buffered files would already be more than that.
const uploadsAtOnce = atNight ? 128 : 48;

nightly(`${uploadsAtOnce} uploads of 5 MB at once stay below 300 MB of memory`, { timeout: 120_000 }, async () => {
  await using service = await startProcess();
  const uploads = Array.from({ length: uploadsAtOnce }, (_, n) => upload(service.url, `a${n}@example.org`));
  expect(new Set(await Promise.all(uploads))).toEqual(new Set([200]));
  expect(await service.peakMemory()).toBeLessThan(300 * 1024 * 1024);
});

const part = (name: string, more = "") => `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
const resume = Buffer.concat([
  Buffer.from(`${part("resumeFile", '; filename="resume.pdf"')}%PDF-1.7\n`),
  Buffer.alloc(4_999_900, " "),
  Buffer.from("\nstartxref\n0\n%%EOF\n\r\n--b--\r\n"),
]);

/** Sends a file whose bytes are the same for all, which takes a fraction of what `fetch` does with a form. Answers the status. */
const upload = (url: string, email: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const sending = request(url + addresses["applications.submit"], { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sending.on("error", reject);
    for (const [name, value] of Object.entries({ ...applicant, email })) sending.write(`${part(name)}${value}\r\n`);
    sending.end(resume);
  });
