// One person: everything from one address, and erasing it.
import type { Person } from "@submissions/shared/console";
import { z } from "zod";
import { titled } from "../../desk/detail.ts";
import { erasePerson, type Erased } from "../../desk/erase.ts";
import { address } from "../inputs.ts";
import { changes, found, reads, trpc } from "../procedure.ts";
import { everyRole } from "../rules.ts";
import { marked } from "./subscribers.ts";

export const peopleProcedures = trpc.router({
  get: reads(...everyRole)
    .input(z.object({ email: address }))
    .query(async ({ ctx: { desk, scope, console }, input }): Promise<Person> => {
      const person = found(await desk.findPerson(scope, input.email));
      const subscription = person.subscription && marked(person.subscription, console.isDisposable);
      return { ...person, submissions: titled(person.submissions, console.packageTitles), subscription };
    }),

  // Only for those who see everything. For the others either answer would tell: "erased" what they never saw, and a
  // refusal that there is more of this person.
  erase: changes("admin")
    .input(z.object({ email: address }))
    .mutation(
      async ({ ctx: { desk, scope, actor, console }, input: { email } }): Promise<Omit<Erased, "discarded">> => {
        found(await desk.findPerson(scope, email));
        const { submissions, subscriptions, resumes } = await erasePerson(console, email, actor);
        console.counts.forget();
        return { submissions, subscriptions, resumes };
      },
    ),
});
