// Broken and sound requests through both doors. A failure names its seed and request; `long-run.ts` repeats it.
import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { atNight, manyOrFew } from "../../support/many-or-few.ts";
import { fuzz } from "../../support/fuzz/fuzz-run.ts";

const requests = manyOrFew(2_000);
/** What no garbage collection explains. The run at night has hundreds of times as many requests. */
const heapGrowthMax = 12 * 1024 * 1024;

test.runIf(existsSync("/proc/self/fd"))(
  "every answer is a documented one, the process stays as it was, and what is stored is what was acknowledged",
  { timeout: 300_000 },
  async () => {
    const { complaints, answersByStatus, acknowledged, replayed, heapGrowth } = await fuzz(
      randomInt(1_000_000),
      requests,
    );
    expect(complaints).toEqual([]);
    expect(heapGrowth).toBeLessThan(heapGrowthMax);
    // That both sound and broken requests were among them.
    expect(acknowledged).toBeGreaterThan(requests / 20);
    // By day few meet on a key, or none.
    if (atNight) expect(replayed).toBeGreaterThan(0);
    for (const status of [200, 207, 400, 404, 405, 415]) {
      expect(answersByStatus[status] ?? 0, `answers ${status}`).toBeGreaterThan(0);
    }
  },
);
