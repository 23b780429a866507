// One person, with everything from one address and erasing it.
import type { Person, SubscriberRow, WithPerson } from "@submissions/shared/console";
import { z } from "zod";
import { shownMail } from "../../desk/detail.ts";
import { erasePerson } from "../../desk/erase.ts";
import { inboxRow } from "../../desk/inbox-row.ts";
import type { StoredSubscriber } from "../../storage/records.ts";
import { byEmail, personId } from "../inputs.ts";
import { forRoles, found, trpc } from "../procedure.ts";
import { everyRole } from "../role-rules.ts";

const { reads } = forRoles(...everyRole);

export const peopleProcedures = trpc.router({
  get: reads(z.object({ person: personId }), async ({ desk, scope, console }, input): Promise<WithPerson<Person>> => {
    const { emailOf, idOf } = console.persons;
    const email = found(emailOf(input.person));
    const person = found(await desk.findPerson(scope, email));
    const subscription = person.subscription && marked(person.subscription, console.isDisposable);
    const submissions = person.submissions.map((one) => inboxRow(one, console.packageTitles));
    const mails = person.mails.map(shownMail);
    return { ...person, submissions, subscription, mails, personId: idOf(email) };
  }),

  // Only for those who see everything. To others a refusal would tell that there is more of this person.
  erase: forRoles("admin").changes(byEmail, async ({ desk, scope, actor, console }, { email }) => {
    found(await desk.findPerson(scope, email));
    const { discarded: _, ...erased } = await erasePerson(console, email, actor);
    console.counts.forget();
    return erased;
  }),
});

/** A subscriber, with the mark of throw-away addresses, which is not stored. */
export const marked = (subscriber: StoredSubscriber, isDisposable: (email: string) => boolean): SubscriberRow => ({
  ...subscriber,
  disposable: isDisposable(subscriber.email),
});
