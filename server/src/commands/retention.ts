// `retention`: the operator's word for a run of retention that would erase much at once.
import type { Command } from "commander";
import { eraseOutdated, findOutdated } from "../desk/retention.ts";
import { openStore } from "../storage/open-store.ts";
import { CommandFailed, commandLine, configOf, isConfirmed, tell, type CommandDeps } from "./command.ts";

const examples = `
The service does this once a day by itself. It stops where it would erase more than a fifth of a kind and more than 100
submissions: look at the dates first, a clock or a setting may be wrong.

Examples:
  npm run submissions -- retention
  npm run submissions -- retention --yes
`;

export function registerRetention(program: Command, deps: CommandDeps): void {
  program
    .command("retention")
    .summary("erase submissions that have had their days")
    .description("Erases submissions that are older than RETENTION_DAYS_… for good.")
    .option("--yes", "do not ask")
    .addHelpText("after", examples)
    .action(async ({ yes = false }: { yes?: boolean }) => {
      const { storage, retentionDays } = configOf(deps);
      await using store = await openStore(storage);
      const actor = commandLine(store);
      const due = (await findOutdated(store.desk, retentionDays, actor.at)).filter(({ outdated }) => outdated > 0);
      for (const { kind, before, outdated, stored } of due) {
        tell(deps, `${kind}: ${outdated} of ${stored}, received before ${new Date(before).toISOString()}`);
      }
      if (due.length === 0) return tell(deps, "Nothing is outdated.");
      if (!yes && !(await isConfirmed(deps, "Erase them for good?"))) throw new CommandFailed("Nothing was erased.");
      for (const one of due) tell(deps, `Erased: ${one.kind}, ${await eraseOutdated(store.desk, one, actor)}.`);
      tell(deps, "The service discards the files of erased resumes within the hour.");
    });
}
