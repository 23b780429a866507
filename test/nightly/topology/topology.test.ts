// A host that is cut off costs nobody a submission: real hosts, as far as the kernel can make them of one machine, behind
// the balancer's file of deploy/. Skipped where there is no root, no HAProxy or no network namespace to be had.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { CutOff } from "./run.ts";

const runs = (program: string, ...words: string[]) => spawnSync(program, words).status === 0;
const canRun =
  process.getuid?.() === 0 &&
  runs("unshare", "--net", "ip", "link", "add", "switch0", "type", "bridge") &&
  runs("haproxy", "-v") &&
  runs("openssl", "version") &&
  runs("setpriv", "--version") &&
  runs("nsenter", "--version");

describe.skipIf(!canRun)("three hosts behind a balancer, one of them cut off", () => {
  test(
    "nothing acknowledged is lost, the others go on, and the host comes back by itself",
    { timeout: 240_000 },
    async () => {
      const run = fileURLToPath(new URL("run.ts", import.meta.url));
      const child = spawn(process.execPath, ["-C", "@submissions/source", run], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
      expect(code).toBe(0);
      const seen = JSON.parse(output) as CutOff;
      // It said 503 while it was away and 200 after it, or this would not have ended.
      expect(seen.withoutIt).toBeGreaterThanOrEqual(300);
      expect(seen.answeredByIt).toBeGreaterThan(0);
      expect(seen).toMatchObject({ lost: 0, unknown: 0, rows: seen.acknowledged });
    },
  );
});
