// How many inquiries an export writes in a second, read from a SQLite file of made-up submissions.
import { join } from "node:path";
import { exportRecords, type ExportFormat } from "../../../server/src/desk/export.ts";
import { seedStore } from "../../../server/dev/seed/seed.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";

/** Long enough that the pages of the file do not all fit in the cache of the database. */
const submissions = 200_000;

export async function measureExport(folder: string, count = submissions): Promise<Record<ExportFormat, number>> {
  const location = { kind: "sqlite", file: join(folder, "export.sqlite") } as const;
  const options = { count, days: 365, now: Date.now() };
  await seedStore(location, options);
  await using store = await openStore(location, { access: "read-only" });
  const rowsPerSecond = async (format: ExportFormat) => {
    const begun = performance.now();
    const pieces = exportRecords(store, { subject: "inquiries", format, from: {}, isDisposable: () => false });
    let rows = 0;
    for await (const { records } of pieces) rows += records;
    return (rows * 1_000) / (performance.now() - begun);
  };
  // The first pass reads the file into memory.
  await rowsPerSecond("csv");
  return { csv: await rowsPerSecond("csv"), ndjson: await rowsPerSecond("ndjson") };
}
