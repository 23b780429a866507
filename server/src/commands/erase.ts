// `erase`: what is done when a person asks to be forgotten.
import type { Command } from "commander";
import { systemClock } from "../clock.ts";
import { erasePerson } from "../desk/erase.ts";
import { mailEraser } from "../mail/open-mailer.ts";
import { openVault } from "../resumes/open-vault.ts";
import { openStore } from "../storage/open-store.ts";
import { parseEmail } from "./arguments.ts";
import { CommandFailed, commandLine, configOf, isConfirmed, tell, type CommandDeps } from "./command.ts";

const examples = `
Removes the submissions, resumes, notes, subscriptions, mails and keys of an address, in whatever case it was written.
An entry in the audit log stays, without the address; and a hash of it, where it is not to be mailed. Backups keep what
they hold: see docs/operations.md.

Examples:
  npm run submissions -- erase ana@example.org
  npm run submissions -- erase ana@example.org --yes
`;

const filesElsewhere =
  "The files of erased resumes do not lie where DATA_DIR or RESUME_STORE points here. The service discards them within the hour.";

export function registerErase(program: Command, deps: CommandDeps): void {
  program
    .command("erase")
    .summary("remove everything of a person")
    .description("Removes everything of a person for good.")
    .argument("<email>", "the address that the person wrote", parseEmail)
    .option("--yes", "do not ask")
    .addHelpText("after", examples)
    .action(async (email: string, { yes = false }: { yes?: boolean }) => {
      const config = configOf(deps);
      if (!yes && !(await isConfirmed(deps, `Erase everything of ${email} for good?`)))
        throw new CommandFailed("Nothing was erased.");
      await using store = await openStore(config.storage);
      await using vault = await openVault(config.vault, systemClock);
      const { submissions, subscriptions, resumes, discarded } = await erasePerson(
        { store, vault, eraseMails: mailEraser(config.mail) },
        email,
        commandLine(store),
      );
      const parts = [count(submissions, "submission"), count(resumes, "resume"), count(subscriptions, "subscription")];
      tell(deps, `Erased: ${parts.join(", ")}.`);
      if (!discarded) tell(deps, filesElsewhere);
    });
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
