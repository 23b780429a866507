// What is erased leaves no word in the database file, neither in the rows nor in the search.
import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import { wholeScope } from "../../server/src/storage/desk-store.ts";
import { acceptReference, application, inquiry, noon } from "./records.ts";
import { sqliteTest as test } from "./sqlite-under-test.ts";

const actor = { operator: "eva@example.org", at: noon };

test("no word of an erased person is left in the file, not even in the search", async ({ store, tested }) => {
  const { file } = tested;
  for (let number = 0; number < 60; number += 1) await acceptReference(store, inquiry(number));
  const email = "Zyxwvut@quokkamail.example";
  const reference = await acceptReference(
    store,
    application(100, { email, name: "Zyxwvut Quokka", coverLetter: "I am a wombatologist." }),
  );
  while ((await store.desk.indexNext(7, () => false)) > 0);
  await store.desk.addNote(wholeScope, reference, "Asked the wombatologist for a sample.", actor);
  expect((await store.desk.listSubmissions(wholeScope, { letter: "wombatologist" }, {})).rows).toHaveLength(1);
  const words = /zyxwvut|quokka|wombatologist/i;
  const bytes = async () => {
    tested.raw((database) => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
    return (await readFile(file)).toString("latin1");
  };
  expect(await bytes()).toMatch(words);
  while ((await store.desk.erase(email, actor)).more);
  expect(words.exec(await bytes())?.[0]).toBeUndefined();
  tested.raw((database) => {
    // With 1, FTS5 compares with the content as well. It reads no view for that which has a table-valued function.
    database.exec("INSERT INTO search_who (search_who, rank) VALUES ('integrity-check', 1)");
    database.exec("INSERT INTO search_letter (search_letter, rank) VALUES ('integrity-check', 0)");
  });
  // What is left of the letters is found as before.
  const { rows } = await store.desk.listSubmissions(wholeScope, { letter: inquiry(7).email }, {});
  expect(rows.map((row) => row.email)).toEqual([inquiry(7).email]);
});
