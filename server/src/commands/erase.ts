// `erase`, when a person asks to be forgotten; `retention`, the word for a run of retention that would erase much at once.
import type { Command } from "commander";
import { systemClock } from "../clock.ts";
import { eraseOutdated, erasePerson, findOutdated } from "../desk/erase.ts";
import { counted } from "../field-values.ts";
import { mailEraser } from "../mail/transports.ts";
import { openVault } from "../resumes/open-vault.ts";
import { refusePassedOver } from "./passed-over.ts";
import { commandLine, configOf, confirmErasing, openExisting, tell, type CommandDeps, parseEmail } from "./command.ts";

const examples = `
Removes the submissions, resumes, notes, subscriptions, mails and keys of an address, in whatever case it was written.
An entry in the audit log stays, without the address; and a hash of it, where it is not to be mailed. Backups keep what
they hold: see docs/operations.md.

Examples:
  npm run submissions -- erase ana@example.org
  npm run submissions -- erase ana@example.org --yes
`;

export function registerErase(program: Command, deps: CommandDeps): void {
  program
    .command("erase")
    .description("Removes everything of a person for good.")
    .argument("<email>", "the address that the person wrote", parseEmail)
    .option("--yes", "do not ask")
    .addHelpText("after", examples)
    .action(async (email: string, { yes = false }: { yes?: boolean }) => {
      const config = configOf(deps);
      if (!yes) await confirmErasing(deps, `Erase everything of ${email} for good?`);
      await using store = await openExisting(config.storage);
      await using vault = await openVault(config.vault, systemClock);
      const places = { store, vault, eraseMails: mailEraser(config.mail) };
      const actor = commandLine(store);
      const erased = await erasePerson(places, email, actor);
      const nouns = ["submission", "resume", "subscription"] as const;
      const parts = nouns.map((noun) => counted(erased[`${noun}s`], noun));
      tell(deps, `Erased: ${parts.join(", ")}.`);
      if (!erased.discarded) tell(deps, undiscarded);
      await refusePassedOver(deps, store, { email, until: actor.at, known: new Set() }, "Not erased");
    });
}

const undiscarded =
  "The files of erased resumes cannot be reached from here. The service discards them within the hour.";

const retentionExamples = `
The service does this once a day by itself. It stops where it would erase more than a fifth of a kind and more than 100
submissions: look at the dates first, a clock or a setting may be wrong.

Examples:
  npm run submissions -- retention
  npm run submissions -- retention --yes
`;

export function registerRetention(program: Command, deps: CommandDeps): void {
  program
    .command("retention")
    .description("Erases submissions that are older than RETENTION_DAYS_… for good.")
    .option("--yes", "do not ask")
    .addHelpText("after", retentionExamples)
    .action(async ({ yes = false }: { yes?: boolean }) => {
      const { storage, retentionDays } = configOf(deps);
      await using store = await openExisting(storage);
      const actor = commandLine(store);
      const due = (await findOutdated(store.desk, retentionDays, actor.at)).filter(({ outdated }) => outdated > 0);
      for (const { kind, before, outdated, stored } of due) {
        const what = kind === "declined" ? "decided" : "received";
        tell(deps, `${kind}: ${outdated} of ${stored}, ${what} before ${new Date(before).toISOString()}`);
      }
      if (due.length === 0) return tell(deps, "Nothing is outdated.");
      if (!yes) await confirmErasing(deps, "Erase them for good?");
      for (const one of due) tell(deps, `Erased: ${one.kind}, ${await eraseOutdated(store.desk, one, actor)}.`);
      tell(deps, "The service discards the files of erased resumes within the hour.");
    });
}
