// Every promise of `server/src/storage/store.ts` is a test in `guarantees/`, which each project runs on its engine.
import { openPostgresUnderTest } from "./postgres-under-test.ts";
import { openSqliteUnderTest } from "./sqlite-under-test.ts";
import { reusingTest, type StoreUnderTest } from "./store-under-test.ts";

const openOne: () => Promise<StoreUnderTest> =
  process.env["TEST_DATABASE"] === "postgres" ? openPostgresUnderTest : openSqliteUnderTest;

export const contractTest = reusingTest(openOne);
