// Every promise of `server/src/storage/store.ts` is a test in `guarantees/`, which each project runs on its engine.
import { shared } from "../support/shared.ts";
import { openPostgresUnderTest } from "./postgres-under-test.ts";
import { openSqliteUnderTest } from "./sqlite-under-test.ts";
import { storeTest, type StoreUnderTest } from "./store-under-test.ts";

const openOne: () => Promise<StoreUnderTest> =
  process.env["TEST_DATABASE"] === "postgres" ? openPostgresUnderTest : openSqliteUnderTest;

/** A `test` with the same store as all others of its file, emptied: that costs a tenth of opening one. */
export function contractTest() {
  const opened = shared(openOne);
  return storeTest(async () => {
    await opened().empty();
    const again = new AsyncDisposableStack();
    return {
      ...opened(),
      openAgain: async () => again.use(await opened().openAgain()),
      [Symbol.asyncDispose]: () => again.disposeAsync(),
    };
  });
}
