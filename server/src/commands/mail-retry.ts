// `mail retry`: wakes mails that were given up, or hurries one that waits. The service sends them, not this command:
// two senders would be one too many.
import type { Command } from "commander";
import { CommandFailed, configOf, tell, type CommandDeps } from "./command.ts";

const examples = `
The running service sends them within seconds; otherwise they go out when it is started.

Examples:
  npm run submissions -- mail retry                                        all failed mails
  npm run submissions -- mail retry 7f7b7cde-6a2c-4f0e-9d8b-0a4f2f7f5f10   one failed or queued mail
`;

/** @param mail the `mail` command, under which this one stands */
export function registerMailRetry(mail: Command, deps: CommandDeps): void {
  mail
    .command("retry")
    .summary("send failed mails again")
    .description("Makes all failed mails due now, or one failed or queued mail. A sent mail is never sent again.")
    .argument("[id]", "of one mail, from mail list")
    .addHelpText("after", examples)
    .action(async (id: string | undefined) => {
      await using store = await deps.openStore(configOf(deps), "read-write");
      const count = await store.retryMails(id === undefined ? "all-failed" : { id }, deps.clock.now());
      if (id !== undefined && count === 0) throw new CommandFailed("There is no queued or failed mail with this id.");
      tell(deps, count === 1 ? "1 mail is due now." : `${count} mails are due now.`);
    });
}
