// The memory of a process that takes many large uploads at once.
import { expect, test } from "vitest";
import { atNight } from "../../support/many-or-few.ts";
import { startProcess } from "../../support/service-process.ts";

// 64 buffered files would already be more than that.
const uploadsAtOnce = atNight ? 128 : 64;

test(`${uploadsAtOnce} uploads of 5 MB at once stay below 300 MB of memory`, { timeout: 120_000 }, async () => {
  await using service = await startProcess();
  const resume = new Blob(["%PDF-1.7\n", new Uint8Array(4_999_900).fill(32), "\nstartxref\n0\n%%EOF\n"]);
  const uploads = Array.from({ length: uploadsAtOnce }, async (_, n) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ fullName: "Ana", email: `a${n}@example.org`, position: "x" })) {
      form.append(name, value);
    }
    form.append("resumeFile", resume, "resume.pdf");
    return (await fetch(`${service.url}/api/applications/submit`, { method: "POST", body: form })).status;
  });
  expect(new Set(await Promise.all(uploads))).toEqual(new Set([200]));
  expect(await service.peakMemory()).toBeLessThan(300 * 1024 * 1024);
});
