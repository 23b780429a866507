// Whether a command that went by an address has found all that is stored of it. A damaged index passes over rows without an
// error, so every row is read: 15 s for a million.
import { emailKey } from "@submissions/shared/fields";
import { submissionKinds } from "@submissions/shared/kinds";
import type { Store } from "../storage/store.ts";
import { CommandFailed, type CommandDeps, damagedAdvice } from "./command.ts";
import { Progress } from "./terminal.ts";

interface Sought {
  readonly email: string;
  /** What came later is not sought. Milliseconds since the epoch. */
  readonly until: number;
  /** References, and `subscription`. */
  readonly known: ReadonlySet<string>;
}

/** @throws CommandFailed when there is something that was not known; `what` says what did not happen to it */
export async function refusePassedOver(
  deps: CommandDeps,
  store: Pick<Store, "readAll">,
  { email, until, known }: Sought,
  what: string,
): Promise<void> {
  const key = emailKey(email);
  using progress = new Progress(deps.messages);
  const passedOver: string[] = [];
  for (const kind of [...submissionKinds, "subscriber"] as const) {
    for await (const rows of progress.count(store.readAll(kind, {}), "rows looked at", ({ length }) => length)) {
      for (const row of rows) {
        const [name, at] = "reference" in row ? [row.reference, row.receivedAt] : ["subscription", row.subscribedAt];
        if (at <= until && !known.has(name) && emailKey(row.email) === key) passedOver.push(name);
      }
    }
  }
  if (passedOver.length === 0) return;
  throw new CommandFailed(
    `${what}: ${passedOver.join(", ")}. An index of the database does not know of them. ${damagedAdvice}`,
  );
}
