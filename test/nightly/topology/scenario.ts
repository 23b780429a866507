// What is done to the site under load: a host is cut off and comes back; hosts are restarted in turn; the database is cut
// off and comes back. Answers what was seen; the test judges it.
import { listMails } from "../../../server/src/desk/mails.ts";
import { until, type ServiceHost } from "./machines.ts";
import type { Site } from "./site.ts";

export interface Phase {
  readonly acknowledged: number;
  /** Submissions that were not acknowledged at the first try. */
  readonly repeated: number;
  /** By what they were answered instead. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly slowestMs: number;
}

/** What was acknowledged while something was done, of submissions that were begun meanwhile. */
export async function during({ clients }: Site, something: () => Promise<void>): Promise<Phase> {
  const begin = performance.now();
  await something();
  const mine = clients.acknowledged.filter(({ begunAt }) => begunAt >= begin);
  const refusals: Record<string, number> = {};
  for (const refusal of mine.flatMap((one) => one.refusals)) refusals[refusal] = (refusals[refusal] ?? 0) + 1;
  return {
    acknowledged: mine.length,
    repeated: mine.filter((one) => one.refusals.length > 0).length,
    refusals,
    slowestMs: Math.round(mine.reduce((slowest, { ms }) => Math.max(slowest, ms), 0)),
  };
}

const says = (services: readonly ServiceHost[], status: number) =>
  until(`${status} of ${services.map(({ host }) => host.name).join(", ")}`, async () => {
    const statuses = await Promise.all(services.map((one) => one.status("/readyz")));
    return statuses.every((one) => one === status) ? true : undefined;
  });

const isAsked = (service: ServiceHost, before: number) =>
  until(`submissions for ${service.host.name}`, async () => {
    const more = (await service.answered()) - before;
    return more > 50 ? more : undefined;
  });

export interface CutOff {
  /** From pulling the cable until the host is back in service. */
  readonly all: Phase;
  /** While it was away and the balancer knew. */
  readonly withoutIt: Phase;
  readonly notReadyAfterMs: number;
  readonly readyAfterMs: number;
  /** Submissions that the host took by itself once it was back. */
  readonly answeredByIt: number;
}

export async function cutOffHost(site: Site): Promise<CutOff> {
  const [service] = site.services as [ServiceHost, ...ServiceHost[]];
  let [notReadyAfterMs, readyAfterMs, answeredByIt] = [0, 0, 0];
  let withoutIt: Phase | undefined;
  const before = await service.answered();
  const all = await during(site, async () => {
    const cutAt = performance.now();
    service.host.cut();
    await says([service], 503);
    notReadyAfterMs = Math.round(performance.now() - cutAt);
    await until("a balancer that has noticed", async () =>
      (await site.balancer.sendsTo(service.host)) ? undefined : true,
    );
    withoutIt = await during(site, () => site.clients.more(300));
    const mendedAt = performance.now();
    service.host.mend();
    await says([service], 200);
    readyAfterMs = Math.round(performance.now() - mendedAt);
    answeredByIt = await isAsked(service, before);
  });
  return { all, withoutIt: withoutIt!, notReadyAfterMs, readyAfterMs, answeredByIt };
}

export async function restartEach(site: Site): Promise<Phase & { readonly exitCodes: readonly (number | null)[] }> {
  const exitCodes: (number | null)[] = [];
  const phase = await during(site, async () => {
    for (const ending of site.services.slice()) {
      ending.service.child.kill("SIGTERM");
      exitCodes.push(await ending.service.ended);
      await isAsked(await site.restart(ending), 0);
    }
  });
  return { ...phase, exitCodes };
}

/** All hosts say that they are not ready, and after it that they are; otherwise this rejects. */
export function cutOffDatabase(site: Site): Promise<Phase> {
  return during(site, async () => {
    site.databaseHost.cut();
    await says(site.services, 503);
    site.databaseHost.mend();
    await says(site.services, 200);
    await site.clients.more(300);
  });
}

export interface Stored {
  readonly acknowledged: number;
  readonly rows: number;
  /** Acknowledged and not stored. */
  readonly lost: number;
  /** Stored and never acknowledged, although each was sent until it was. */
  readonly unknown: number;
}

/** Ends the load and compares what is stored with what was acknowledged. */
export async function compare({ clients, database }: Site): Promise<Stored> {
  await clients.stop();
  await using store = await database.openStore();
  const stored = new Set<string>();
  for await (const inquiries of store.readSubmissions("inquiry", {})) {
    for (const { reference } of inquiries) stored.add(reference);
  }
  const known = new Set(clients.acknowledged.map(({ inquiryId }) => inquiryId));
  return {
    acknowledged: clients.acknowledged.length,
    rows: stored.size,
    lost: [...known].filter((id) => !stored.has(id)).length,
    unknown: [...stored].filter((id) => !known.has(id)).length,
  };
}

/** Waits until no mail waits, and counts what the provider took. */
export async function countMails(site: Site): Promise<{ stored: number; taken: number; twice: number }> {
  await using store = await site.database.openStore();
  await until("mails to be sent", async () => {
    const { queued, failed, inDoubt } = await store.mailBacklog();
    return queued + failed + inDoubt === 0 ? true : undefined;
  });
  const { length } = await listMails(store.desk, { status: "sent", limit: 1_000_000 });
  const ids = site.takenMails();
  const different = new Set(ids).size;
  return { stored: length, taken: different, twice: ids.length - different };
}
