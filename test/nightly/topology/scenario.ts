// What is done to the site under load: a host is cut off and comes back. Answers what was seen; the test judges it.
import { until, type ServiceHost } from "./machines.ts";
import type { Site } from "./site.ts";

const says = (service: ServiceHost, status: number) =>
  until(`${status} of ${service.host.name}`, async () =>
    (await service.status("/readyz")) === status ? true : undefined,
  );

export interface CutOff {
  /** Acknowledged while it was away and the balancer knew. */
  readonly withoutIt: number;
  /** Submissions that the host took by itself once it was back. */
  readonly answeredByIt: number;
}

export async function cutOffHost({ services, balancer, clients }: Site): Promise<CutOff> {
  const [service] = services as [ServiceHost, ...ServiceHost[]];
  const before = await service.answered();
  service.host.cut();
  await says(service, 503);
  await until("a balancer that has noticed", async () => ((await balancer.sendsTo(service.host)) ? undefined : true));
  const withoutIt = await clients.more(300);
  service.host.mend();
  await says(service, 200);
  const answeredByIt = await until(`submissions for ${service.host.name}`, async () => {
    const more = (await service.answered()) - before;
    return more > 50 ? more : undefined;
  });
  return { withoutIt, answeredByIt };
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
  for await (const inquiries of store.readAll("inquiry", {})) {
    for (const { reference } of inquiries) stored.add(reference);
  }
  const known = clients.acknowledged;
  return {
    acknowledged: known.size,
    rows: stored.size,
    lost: known.difference(stored).size,
    unknown: stored.difference(known).size,
  };
}
