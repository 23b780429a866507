// The lists and the search of the inbox on PostgreSQL: lexemes in a table of their own.
import type { TypedWords } from "../../search-words.ts";
import type { Engine } from "../sql/engine.ts";
import type { Inbox } from "../sql/inbox-list.ts";
import type { IndexedWords, SearchIndex } from "../sql/search-index.ts";
import { rowsAs } from "./statement.ts";

/** Which rows an index has, in its own words: comparing rows implies none of it. */
const partial = {
  assignee: "AND assignee IS NOT NULL",
  disposable: "AND disposable > 0",
  kind: "",
  stage: "AND stage <> 'received'",
  status: "",
};

export const inbox: Inbox = {
  // A comparison of rows finds the place in the index. An equality would make the order by this column mean nothing.
  walk: (column, value, { above, below, direction }) => ({
    condition: `(${column}, arrival) > (${value}, CAST(${above} AS BIGINT))
      AND (${column}, arrival) < (${value}, CAST(${below} AS BIGINT)) ${partial[column]}`,
    order: `${column} ${direction}, arrival ${direction}`,
  }),

  find({ search, letter }, { above, below }, bind, areRare) {
    const matches = (column: string, query: string) => `${column} @@ ${bind(query)}::tsquery`;
    const conditions = [`arrival > ${above}`, `arrival < ${below}`];
    if (search !== undefined) conditions.push(matches("who", typedQuery(search)));
    if (letter !== undefined) {
      const { words, typed, isRest } = letter;
      const either = [matches("letter", typedQuery(words))];
      if (typed !== null && isRest) conditions.push(`NOT ${matches("who", typedQuery(typed))}`);
      else if (typed !== null) either.push(matches("who", typedQuery(typed)));
      conditions.push(`(${either.join(" OR ")})`);
    }
    // The planner does not know: it takes any word that it has no statistics of for a frequent one, and would read all rows
    // in their order to find that there is none. Behind an OFFSET it cannot see that order.
    return `SELECT arrival FROM submission_search WHERE ${conditions.join(" AND ")} ${areRare ? "OFFSET 0" : ""}`;
  },
};

// Words of letters, digits and marks need no quoting but for apostrophes, which they have not.
const lexeme = (word: string): string => `'${word}'`;

const typedQuery = ({ whole, beginnings }: TypedWords): string =>
  [...whole.map(lexeme), ...beginnings.map((word) => `${lexeme(word)}:*`)].join(" & ");

export function prepareSearchIndex({ prepare }: Engine): SearchIndex {
  // Words travel as JSON, and become the lexemes as they are: what counts as a word is decided in `search-words.ts`. A row
  // that was erased meanwhile is left out.
  const lexemes = (words: string) => `array_to_tsvector(ARRAY (SELECT jsonb_array_elements_text(${words}::jsonb)))`;
  const set = prepare(`
    INSERT INTO submission_search (arrival, who, letter)
    SELECT submission.arrival, ${lexemes("words.who")}, ${lexemes("words.letter")}
    FROM ${rowsAs("words", { arrival: "bigint", who: "text", letter: "text" })}
    JOIN submission ON submission.arrival = words.arrival
    FOR KEY SHARE OF submission
    ON CONFLICT (arrival) DO UPDATE SET who = excluded.who, letter = excluded.letter`);
  const wordsOf = ({ arrival, who, letter }: IndexedWords) => ({
    arrival,
    who: JSON.stringify(who),
    letter: JSON.stringify(letter),
  });
  return {
    setWords: (words) => [set(JSON.stringify(words.map(wordsOf)))],
    // They go with their submission.
    *removeWords() {},
    // oxlint-disable-next-line require-yield -- there is nothing to do
    *mergeRemoved() {
      return false;
    },
  };
}
