// The PostgreSQL engine keeps the contract.
import { openPostgresUnderTest } from "./postgres-under-test.ts";
import { describeStore } from "./store-contract.ts";

describeStore("PostgreSQL", () => openPostgresUnderTest());
