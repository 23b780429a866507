// The lists and the search of the inbox on SQLite: FTS5 over views of the submissions.
import type { TypedWords } from "../../search-words.ts";
import type { Engine } from "../sql/engine.ts";
import type { Inbox } from "../sql/inbox-list.ts";
import type { SearchIndex } from "../sql/search-index.ts";

export const inbox: Inbox = {
  walk: (column, value, { above, below, direction }) => ({
    condition: `${column} = ${value} AND arrival > ${above} AND arrival < ${below}`,
    order: `arrival ${direction}`,
  }),

  find({ search, letter }, { above, below }, bind) {
    const typed =
      search && `AND rowid IN (SELECT rowid FROM search_who WHERE search_who MATCH ${bind(typedMatch(search))})`;
    const rows = (table: "search_who" | "search_letter", match: string) => `
      SELECT rowid AS arrival FROM ${table}
      WHERE ${table} MATCH ${bind(match)} AND rowid > ${above} AND rowid < ${below}`;
    if (letter === undefined) return search === undefined ? "" : rows("search_who", typedMatch(search));
    const found = [rows("search_letter", letter.words.map(quote).join(" "))];
    if (letter.typed !== null) found.push(rows("search_who", typedMatch(letter.typed)));
    return found.map((one) => `${one} ${typed ?? ""}`).join(" UNION ");
  },
};

const quote = (word: string): string => `"${word}"`;

const typedMatch = ({ whole, beginning }: TypedWords): string =>
  [...whole.map(quote), `${quote(beginning)}*`].join(" ");

export function prepareSearchIndex({ prepare, among }: Engine): SearchIndex {
  const added = (table: string, columns: string) =>
    prepare(`
      INSERT INTO search_${table} (rowid, ${columns})
      SELECT arrival, ${columns} FROM submission_${table} WHERE arrival > $1 AND arrival <= $2 ORDER BY arrival`);
  const add = [added("who", "name, email, company"), added("letter", "words")];
  // Words that are not there cannot be removed.
  const removed = (table: string) =>
    prepare(`
      DELETE FROM search_${table} WHERE ${among("rowid", "$1", "bigint")}
        AND rowid <= (SELECT indexed_to FROM search_progress)`);
  const remove = [removed("who"), removed("letter")];
  return {
    addWords: (after, last) => add.map((one) => one(after, last)),
    // Before the submission is deleted: FTS5 reads from it which words to remove.
    removeWords: (arrivals) => remove.map((one) => one(arrivals)),
  };
}
