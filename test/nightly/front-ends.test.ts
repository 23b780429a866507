// Front ends that need a library, as docs/existing-front-end.md shows them, in a real browser; and PHP.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInPage, sentTo, snippetsOf } from "../support/browser/front-end.ts";
import { applicant, pdf } from "../support/doors.ts";
import { openBrowser } from "../support/browser.ts";
import { openFolder } from "../support/folder.ts";
import { freePort, untilListening } from "../support/free-port.ts";
import { startService } from "../support/service.ts";
import { shared } from "../support/shared.ts";

const browser = shared(openBrowser);
const library = (file: string) => join(import.meta.dirname, "node_modules", file);

test.each([
  ["axios", "axios/dist/axios.min.js"],
  ["jQuery", "jquery/dist/jquery.min.js"],
])("%s sends a form with and without its file, and an inquiry", async (name, file) => {
  const [code = ""] = await snippetsOf(name);
  await runInPage(browser(), code, { library: library(file), inquiries: 2 });
});

const hasPhp = spawnSync("php", ["-r", "exit(function_exists('curl_init') ? 0 : 1);"]).status === 0;

test.skipIf(!hasPhp)("PHP with curl hands an uploaded form on, where it is installed", async () => {
  const [code = ""] = await snippetsOf("PHP");
  await using service = await startService();
  await using folder = await openFolder();
  const page = `<?php ${sentTo(service.url, code)} http_response_code($status); echo json_encode($answer);`;
  await writeFile(join(folder.path, "index.php"), page);
  const port = await freePort();
  const server = spawn("php", ["-S", `127.0.0.1:${port}`, "-t", folder.path], { stdio: "ignore" });
  try {
    await untilListening(port, [server]);
    const body = new FormData();
    for (const [field, value] of Object.entries(applicant)) body.append(field, value);
    body.append("resume", pdf("ana.pdf", 3_000));
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body });
    const answer = (await response.json()) as { applicationId?: string };
    const [stored] = (await service.stored()).applications;
    expect([response.status, answer.applicationId]).toEqual([200, stored?.reference]);
    expect(stored).toMatchObject({ resume: { filename: "ana.pdf" } });
  } finally {
    const ended = once(server, "exit");
    server.kill();
    await ended;
  }
});
