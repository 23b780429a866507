// The SQLite engine keeps the contract.
import { describe } from "vitest";
import { backupGuarantees } from "./guarantees/backup.ts";
import { openSqliteUnderTest } from "./sqlite-under-test.ts";
import { describeStore } from "./store-contract.ts";
import { storeTest, type StoreUnderTest } from "./store-under-test.ts";

describeStore("SQLite", openSqliteUnderTest);
describe("SQLite backups", () => backupGuarantees(storeTest<StoreUnderTest>(openSqliteUnderTest)));
