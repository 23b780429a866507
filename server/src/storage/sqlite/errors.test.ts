import { expect, test } from "vitest";
import { StorageUnavailable } from "../store.ts";
import { asCommitError, asUnavailable, isBusy } from "./errors.ts";

const sqliteError = (errcode: number) =>
  Object.assign(new Error(`errcode ${errcode}`), { code: "ERR_SQLITE_ERROR", errcode });

test.each([7, 8, 10, 11, 13, 14, 26, 10 | (4 << 8)])("takes the code %i for an unusable database", (errcode) => {
  const error = sqliteError(errcode);
  expect(asUnavailable(error)).toBeInstanceOf(StorageUnavailable);
  expect(asUnavailable(error)).toMatchObject({ cause: error, outcome: "not-stored" });
  expect(isBusy(error)).toBe(false);
});

test("takes a log whose index cannot grow for a full disk, and for no damage", () => {
  expect(asUnavailable(sqliteError(4_874))).toMatchObject({
    message: "The database is out of disk space.",
    isDamage: false,
  });
});

test.each([5, 6, 15, 517])("takes the code %i for a lock that another connection holds", (errcode) => {
  expect(isBusy(sqliteError(errcode))).toBe(true);
  expect(asUnavailable(sqliteError(errcode))).toBeInstanceOf(StorageUnavailable);
});

test.each([sqliteError(19), sqliteError(1), new TypeError("a mistake"), null])("lets %s pass as a mistake", (error) => {
  expect(asUnavailable(error)).toBeNull();
  expect(isBusy(error)).toBe(false);
  expect(asCommitError(error)).toBe(error);
});

test.each([7, 10 | (4 << 8)])("says of a COMMIT that fails with %i that the transaction may be stored", (errcode) => {
  const error = sqliteError(errcode);
  expect(asCommitError(error)).toMatchObject({ name: "StorageUnavailable", cause: error, outcome: "unknown" });
});

test.each([5, 13])("says of a COMMIT that fails with %i that nothing is stored", (errcode) => {
  expect(asCommitError(sqliteError(errcode))).toMatchObject({ errcode });
});
