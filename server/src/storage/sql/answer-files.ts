// Files of answers, which the vault keeps as it keeps resumes.
import { pageRows } from "../pages.ts";
import type { InboundStore, KeptFile, StoredFile } from "../inbound-store.ts";
import type { Engine } from "./engine.ts";

const joins = "answer_file JOIN answer ON answer.id = answer JOIN submission ON arrival = answer.submission";

export function makeAnswerFiles({ prepare, among, read }: Engine) {
  const columns = "reference, file_key AS key, sha256";
  const next = prepare<KeptFile & { readonly id: number }>(`
    SELECT answer_file.id, ${columns} FROM ${joins}
    WHERE answer_file.id > $1 AND file_key IS NOT NULL ORDER BY answer_file.id LIMIT ${pageRows}`);
  const one = prepare<StoredFile>(`
    SELECT ${columns}, answer_file.name, size, answer_file.kind, scan FROM ${joins}
    WHERE answer_file.id = $1 AND file_key IS NOT NULL AND ${among("submission.kind", "$2")}`);
  return {
    async *readFiles() {
      for (let after: number | undefined = 0; after !== undefined;) {
        const rows: readonly (KeptFile & { readonly id: number })[] = await read(next(after));
        if (rows.length > 0) yield rows;
        after = rows.at(-1)?.id;
      }
    },

    findFile: async ({ kinds }, id) => (await read(one(id, kinds)))[0] ?? null,
  } satisfies Partial<InboundStore>;
}
