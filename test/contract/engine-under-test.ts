// Every promise of `server/src/storage/store.ts` is a test in `guarantees/`, which runs on each engine.
import type { TestContext, TestOptions } from "vitest";
import type { Store } from "../../server/src/storage/store.ts";
import { submissionKinds } from "../../shared/src/kinds.ts";
import { atNight } from "../support/many-or-few.ts";
import { openPostgresUnderTest } from "./postgres-under-test.ts";
import { openSqliteUnderTest } from "./sqlite-under-test.ts";
import { reusingTest, type StoreUnderTest } from "./store-under-test.ts";

type ContractTest = ReturnType<typeof reusingTest<StoreUnderTest>>;

const testOn: Readonly<Record<string, ContractTest>> = {
  SQLite: reusingTest<StoreUnderTest>(openSqliteUnderTest),
  PostgreSQL: reusingTest<StoreUnderTest>(openPostgresUnderTest),
};

/** A function like `test` that adds a test for each engine. @param addOn the one that adds it for one engine */
const onEach = <Add>(addOn: (test: ContractTest) => Add): Add =>
  ((name: string, ...rest: unknown[]) => {
    for (const [engine, test] of Object.entries(testOn)) {
      (addOn(test) as (name: string, ...more: unknown[]) => void)(`${engine}: ${name}`, ...rest);
    }
  }) as Add;

interface Given extends TestContext {
  readonly tested: StoreUnderTest;
  readonly store: Store;
}

interface AddTest {
  (name: string, run: (given: Given) => unknown): void;
  (name: string, options: TestOptions, run: (given: Given) => unknown): void;
}

export const contractTest = Object.assign(
  onEach((test) => test as AddTest),
  {
    for: ((cases: readonly unknown[]) => onEach((test) => test.for(cases))) as ContractTest["for"],
    nightly: onEach((test) => test.runIf(atNight) as AddTest),
  },
);

/** For a case that means any submission: it is run for each kind. `%s` in its name becomes the kind. */
export const eachKind = contractTest.for(submissionKinds);
