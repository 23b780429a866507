// Every promise of `server/src/storage/store.ts` is a test in `guarantees/`, which each project runs on its engine.
import { submissionKinds } from "../../shared/src/kinds.ts";
import { openPostgresUnderTest } from "./postgres-under-test.ts";
import { openSqliteUnderTest } from "./sqlite-under-test.ts";
import { reusingTest, type StoreUnderTest } from "./store-under-test.ts";

const openOne: () => Promise<StoreUnderTest> =
  process.env["TEST_DATABASE"] === "postgres" ? openPostgresUnderTest : openSqliteUnderTest;

export const contractTest = reusingTest(openOne);

/** For a case that means any submission: it is run for each kind. `%s` in its name becomes the kind. */
export const eachKind = contractTest.for(submissionKinds);
