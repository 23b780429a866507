// `release`: lets a submission that was kept as spam go on its way.
import type { Command } from "commander";
import { releaseSpam } from "../intake/release.ts";
import { mailSettings } from "../mail-settings.ts";
import { parseReference } from "./arguments.ts";
import { CommandFailed, configOf, tell, type CommandDeps } from "./command.ts";

const examples = `
The running service sends the mails within seconds; otherwise they go out when it is started.

Examples:
  npm run submissions -- release INQ-20261121-042137
  npm run --silent submissions -- export inquiries --format ndjson | jq -r 'select(.status == "spam").inquiryId'
`;

export function registerRelease(program: Command, deps: CommandDeps): void {
  program
    .command("release")
    .summary("make spam a new submission")
    .description(
      "Makes a submission that was kept as spam a new one, and sends the receipt and the notice that were held.",
    )
    .argument("<reference>", "INQ-… or APP-…", parseReference)
    .addHelpText("after", examples)
    .action(async (reference: string) => {
      const config = configOf(deps);
      await using store = await deps.openStore(config, "read-write");
      const mail = mailSettings(config, () => config.listen.port);
      const release = await releaseSpam({ store, clock: deps.clock, mail }, reference);
      if (release.result !== "released") {
        const why = release.result === "unknown" ? "There is no submission" : "No spam, so nothing to release:";
        throw new CommandFailed(`${why} ${reference}.`);
      }
      const mails = release.mails === 1 ? "1 mail is" : `${release.mails} mails are`;
      tell(deps, `${reference} is released; ${mails} due now.`);
    });
}
