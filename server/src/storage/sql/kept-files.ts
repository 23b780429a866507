// Files of answers and replies, which the vault keeps as it keeps resumes.
import { pageRows } from "../pages.ts";
import type { FileOf, InboundStore, KeptFile, StoredFile } from "../inbound-store.ts";
import type { Engine } from "./engine.ts";

export function makeKeptFiles({ prepare, among, read }: Engine) {
  const statementsOf = (of: FileOf, more: string) => {
    const file = `${of}_file`;
    const joins = `${file} JOIN ${of} ON ${of}.id = ${file}.${of} JOIN submission ON arrival = ${of}.submission`;
    const columns = `reference, file_key AS key, ${file}.sha256`;
    return {
      // Those that are not sent, too.
      next: prepare<KeptFile & { readonly id: number }>(`
        SELECT ${file}.id, ${columns} FROM ${of === "reply" ? `${file} JOIN submission ON arrival = submission` : joins}
        WHERE ${file}.id > $1 AND file_key IS NOT NULL ORDER BY ${file}.id LIMIT ${pageRows}`),
      one: prepare<StoredFile>(`
        SELECT ${columns}, ${file}.name, ${file}.size, ${more} FROM ${joins}
        WHERE ${file}.id = $1 AND file_key IS NOT NULL AND ${among("submission.kind", "$2")}`),
    };
  };
  const statements = {
    answer: statementsOf("answer", "answer_file.kind, scan"),
    // An operator's own: it is not scanned, and has the name that it was given.
    reply: statementsOf("reply", "NULL AS kind, 'clean' AS scan"),
  };
  return {
    async *readFiles() {
      for (const { next } of Object.values(statements)) {
        for (let after: number | undefined = 0; after !== undefined;) {
          const rows: readonly (KeptFile & { readonly id: number })[] = await read(next(after));
          if (rows.length > 0) yield rows;
          after = rows.at(-1)?.id;
        }
      }
    },

    findFile: async ({ kinds }, of, id) => (await read(statements[of].one(id, kinds)))[0] ?? null,
  } satisfies Partial<InboundStore>;
}
