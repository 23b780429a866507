import { expect, test } from "vitest";
import { endless, readPage } from "./ranges.ts";

test.each([true, false])(
  "a page that reads the end of the rows slowly is the last (descending: %s)",
  async (descending) => {
    const read = async (above: number, below: number) => [1, 12].filter((row) => row > above && row < below);
    const ranges = { width: 10, searchWidth: 10, widthAfter: (width: number) => width, workMsMax: -1 };
    const pageAt = (bounds: { above: number; below: number }) =>
      readPage({ ...bounds, descending, ranges, last: async () => 12, read, numberOf: (row) => row }, {});
    const first = await pageAt({ above: 0, below: endless });
    expect(first).toEqual(descending ? { rows: [12], next: 3 } : { rows: [1], next: 10 });
    const second = await pageAt(descending ? { above: 0, below: 3 } : { above: 10, below: endless });
    expect(second).toEqual({ rows: descending ? [1] : [12], next: null });
  },
);
