// A running service whose mails go to a stand-in of Postmark, with a clock that the test moves.
import { expect } from "vitest";
import { listMails } from "../../../server/src/desk/mails.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { doors, json, type Answer, type Door } from "../doors.ts";
import { MovableClock } from "../movable-clock.ts";
import { PostmarkStandIn } from "../postmark-stand-in.ts";
import { startService, type Service } from "../service.ts";

export async function startMailService(env: Readonly<Record<string, string>> = {}) {
  await using opened = new AsyncDisposableStack();
  const postmark = opened.use(await PostmarkStandIn.open());
  const clock = new MovableClock();
  const service = opened.use(await startService({ clock, env: { ...postmark.env, ...env } }));
  const store = opened.use(await openStore(service.storage, { clock }));
  const resources = opened.move();
  return {
    service,
    postmark,
    clock,
    store,
    receiptsTo: async (address: string) => {
      const mails = await listMails(store.desk, { limit: 1000 });
      return mails.filter(({ kind, email }) => kind === "inquiry-receipt" && email === address);
    },
    taken: () => postmark.taken.map(({ To }) => To),
    async [Symbol.asyncDispose]() {
      // First: a service that stops waits for calls that hang.
      await postmark[Symbol.asyncDispose]();
      await resources.disposeAsync();
    },
  };
}

/** Sends an inquiry from the n-th buyer, through one door or the other. */
export function inquire(service: Service, n: number, door: Door = doors[n % 2]!): Promise<Answer> {
  const inquiry = { name: "Ann Buyer", email: buyerAddress(n), selectedPackageIds: ["en-GB-scottish"] };
  return door.send(service, "marketplace.inquiry", json(inquiry));
}

export const buyerAddress = (n: number): string => `buyer${n}@example.org`;

/** Asks until the answer is what the matcher wants. */
export const eventually = <T>(ask: () => T) => expect.poll(ask, { interval: 10 });

export const count = (n: number): number[] => Array.from({ length: n }, (_, index) => index);
