// Subscribers and their growth.
import type { Page, SubscriberRow } from "@submissions/shared/console";
import { z } from "zod";
import type { StoredSubscriber } from "../../storage/records.ts";
import { page, subscriberFilter } from "../inputs.ts";
import { reads, trpc } from "../procedure.ts";

/** What the curve shows. */
const growthDays = 90;

export const subscriberProcedures = trpc.router({
  list: reads("admin", "marketing")
    .input(z.object({ filter: subscriberFilter, page }))
    .query(async ({ ctx: { desk, console }, input }): Promise<Page<SubscriberRow>> => {
      const { rows, next } = await desk.listSubscribers(input.filter, input.page);
      return { rows: rows.map((row) => marked(row, console.isDisposable)), next };
    }),

  growth: reads("admin", "marketing").query(
    ({ ctx: { desk, console } }): Promise<readonly { readonly day: string; readonly active: number }[]> =>
      desk.subscriberGrowth(console.clock.now(), growthDays),
  ),
});

/** A subscriber, with the mark of throw-away addresses, which is not stored. */
export const marked = (subscriber: StoredSubscriber, isDisposable: (email: string) => boolean): SubscriberRow => ({
  ...subscriber,
  disposable: isDisposable(subscriber.email),
});
