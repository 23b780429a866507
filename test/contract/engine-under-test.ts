// Every promise of `server/src/storage/store.ts` is a test in `guarantees/`, which runs on each engine.
import { submissionKinds } from "../../shared/src/kinds.ts";
import { openPostgresUnderTest } from "./postgres-under-test.ts";
import { openSqliteUnderTest } from "./sqlite-under-test.ts";
import { reusingTest, type StoreUnderTest } from "./store-under-test.ts";

type ContractTest = ReturnType<typeof reusingTest<StoreUnderTest>>;

const testOn: Readonly<Record<string, ContractTest>> = {
  SQLite: reusingTest<StoreUnderTest>(openSqliteUnderTest),
  PostgreSQL: reusingTest<StoreUnderTest>(openPostgresUnderTest),
};

/** What defines a test on each engine, its name behind that of the engine. @param callOf what defines it on one */
const onEach = <Call>(callOf: (test: ContractTest) => Call): Call =>
  ((name: string, ...rest: unknown[]) => {
    for (const [engine, test] of Object.entries(testOn)) {
      (callOf(test) as (name: string, ...more: unknown[]) => void)(`${engine}: ${name}`, ...rest);
    }
  }) as Call;

export const contractTest = Object.assign(
  onEach((test) => test),
  { for: ((cases: readonly unknown[]) => onEach((test) => test.for(cases))) as ContractTest["for"] },
) as ContractTest;

/** For a case that means any submission: it is run for each kind. `%s` in its name becomes the kind. */
export const eachKind = contractTest.for(submissionKinds);
