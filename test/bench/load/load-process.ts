// The load generator's process: takes jobs from its parent one after the other and answers with what the clients saw.
import { load, type Outcome } from "./client.ts";
import { requestsTo, type RequestKind } from "./requests.ts";

/** What to send, to one server or to several in turn. */
export interface Job {
  readonly urls: readonly string[];
  readonly kind: RequestKind;
  readonly clients: number;
  readonly ms: number;
  readonly perSecond: number | null;
}

/** Deals the clients out to the servers. */
const runJob = ({ urls, kind, clients, ms, perSecond }: Job): Promise<readonly Outcome[]> =>
  Promise.all(
    urls.map((url, position) => {
      const { host, port } = new URL(url);
      const share = Math.floor((clients + urls.length - 1 - position) / urls.length);
      const rate = perSecond === null ? null : (perSecond * share) / clients;
      return load({ port: Number(port), request: requestsTo(host, kind), clients: share, ms, perSecond: rate });
    }),
  );

process.on("message", (job: Job) => void runJob(job).then((outcomes) => process.send?.(outcomes)));
process.on("disconnect", () => process.exit());
