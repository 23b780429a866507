// A call on its way through its stages: the time of each goes to the metrics, and to the trace of its request if it has
// one.
import type { CallWatch, Stage } from "../intake/call.ts";
import type { LeasedMail } from "../storage/records.ts";
import type { Distribution } from "./distribution.ts";
import type { Series } from "./series.ts";
import type { RequestTrace } from "./traces.ts";

export class WatchedCall implements CallWatch {
  readonly #seconds: Series<Distribution>;
  readonly #procedure: string;
  readonly #trace: RequestTrace | null;
  #since: number;

  /** @param begunAt when the request came, by `performance.now()` */
  constructor(seconds: Series<Distribution>, procedure: string, begunAt: number, trace: RequestTrace | null) {
    this.#seconds = seconds;
    this.#procedure = procedure;
    this.#trace = trace;
    this.#since = begunAt;
  }

  ended(stage: Stage): void {
    const now = performance.now();
    this.#seconds.of(this.#procedure, stage).observe((now - this.#since) / 1000);
    if (this.#trace !== null) this.#trace.stage(this.#procedure, stage, this.#since, now);
    this.#since = now;
  }

  stored(mails: readonly LeasedMail[]): void {
    if (this.#trace !== null) this.#trace.expect(mails);
  }
}
