// The PostgreSQL engine keeps the contract.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BackupElsewhere } from "../../server/src/storage/store.ts";
import { openPostgresUnderTest } from "./postgres-under-test.ts";
import { describeStore } from "./store-contract.ts";

describeStore("PostgreSQL", () => openPostgresUnderTest());

test("leaves backups to PostgreSQL's own tools, and says so", async () => {
  await using tested = await openPostgresUnderTest();
  const file = join(tested.folder, "backup");
  const refused = await tested.store.backup(file).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(BackupElsewhere);
  expect(refused).toHaveProperty("message", expect.stringContaining("pg_dump"));
  expect(existsSync(file)).toBe(false);
});
