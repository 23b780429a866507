// The SQLite engine keeps the contract.
import { openSqliteUnderTest } from "./sqlite-under-test.ts";
import { describeStore } from "./store-contract.ts";

describeStore("SQLite", openSqliteUnderTest);
