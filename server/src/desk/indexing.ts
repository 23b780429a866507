// Makes submissions searchable soon after they were stored, apart from storing them.
import type { Log } from "../observe/log.ts";
import { repeatedly } from "../repeatedly.ts";
import type { DeskStore } from "../storage/desk-store.ts";

const pollMs = 1_000;
/** Submissions in one transaction: 4 to 8 ms. */
const indexedAtOnce = 100;
/** After a full batch the job rests nineteen times as long, so that under load submissions are accepted first. */
const restPerWork = 19;
const restMsMin = 5;

interface IndexingOptions {
  readonly desk: Pick<DeskStore, "indexNext">;
  readonly isDisposable: (email: string) => boolean;
  readonly log: Log;
}

/** Begins to index. Disposing waits for the batch under way. */
export const startIndexing = ({ desk, isDisposable, log }: IndexingOptions): AsyncDisposable =>
  repeatedly(async () => {
    const begun = performance.now();
    const { more } = await desk.indexNext(indexedAtOnce, isDisposable).catch((error: unknown) => {
      log.error({ err: error }, "submissions could not be made searchable");
      return { more: false };
    });
    const restMs = Math.max((performance.now() - begun) * restPerWork, restMsMin);
    return more ? Math.min(restMs, pollMs) : pollMs;
  });
