// `operators`: who may use the console.
import type { OperatorRow } from "@submissions/shared/console";
import { kinds } from "@submissions/shared/kinds";
import { roles, type Role } from "@submissions/shared/roles";
import { Option, type Command } from "commander";
import { shownDay } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { isBelow } from "../mail/inbound-address.ts";
import { drawSecret, hashSecret } from "../secrets.ts";
import type { OperatorChange } from "../storage/access-store.ts";
import { linkAddress } from "../own-address.ts";
import { openStore } from "../storage/open-store.ts";
import { CommandFailed, commandLine, configOf, openExisting, tell, tellIfMade } from "./command.ts";
import { type CommandDeps, parseEmail } from "./command.ts";
import { type Columns, writeAll, writeList } from "./terminal.ts";

const seen = Object.values(kinds).map(({ role, words }) => `${role} ${words.en.plural.toLowerCase()}`);

const examples = `
admin sees everything; ${seen.join("; ")}; marketing subscribers. The last line of add is a
link that works once, within 7 days: give it to the operator, who sets a password there. For an operator who exists
already, add gives the role and makes a new link; that is how a forgotten password is replaced.

Examples:
  npm run submissions -- operators add eva@example.org --role sales
  npm run submissions -- operators list
  npm run submissions -- operators remove eva@example.org
  npm run submissions -- operators reset-factor eva@example.org
  npm run submissions -- operators sign-in eva@example.org
`;

export function registerOperators(program: Command, deps: CommandDeps): void {
  const operators = program
    .command("operators")
    .description("Adds, lists and removes those who may use the console.")
    .addHelpText("after", examples);
  const ofOne = (name: string, description: string, act: (config: Config, email: string) => Promise<void>) =>
    operators
      .command(name)
      .description(description)
      .argument("<email>", "of the operator", parseEmail)
      .action((email: string) => act(configOf(deps), email));
  operators
    .command("add")
    .description("Invites an operator, mails the invitation's link and prints it.")
    .argument("<email>", "of the operator", parseEmail)
    .addOption(new Option("--role <role>", "what the operator may see").choices(roles).makeOptionMandatory())
    .action(async (email: string, { role }: { role: Role }) => {
      const config = configOf(deps);
      if (config.inbound !== null && isBelow(config.inbound.address, email)) {
        throw new CommandFailed(
          `Mails to ${email} come in as answers (INBOUND_ADDRESS): an operator needs another address.`,
        );
      }
      const token = drawSecret();
      tellIfMade(deps, config.storage);
      await change(config, email, { role, invitationHash: hashSecret(token), token }, openStore);
      tell(
        deps,
        `${email} is invited as ${role}. The link works once, within 7 days. The running service mails it too:`,
      );
      await writeAll([`${await linkAddress(config)}/console/invitation#token=${token}\n`], deps.output);
    });
  operators
    .command("list")
    .description("Lists operators with their roles.")
    .option("--json", "one JSON array instead of a table")
    .action(async ({ json = false }: { json?: boolean }) => {
      await using store = await openStore(configOf(deps).storage, { access: "read-only" });
      const items = await store.access.listOperators();
      await writeList(deps, { items, columns, noun: "operators" }, json);
    });
  const resets = "Takes an operator's second factor and recovery codes away: the password alone signs in again.";
  ofOne("reset-factor", resets, async (config, email) => {
    await change(config, email, { secondFactor: null });
    tell(deps, `${email} has no second factor any more.`);
  });
  ofOne("sign-in", "Prints a link that signs an operator in: once, within 15 minutes.", async (config, email) => {
    const token = drawSecret();
    await change(config, email, { signInLinkHash: hashSecret(token) });
    tell(deps, `The link signs ${email} in once, within 15 minutes:`);
    await writeAll([`${await linkAddress(config)}/console/sign-in#token=${token}\n`], deps.output);
  });
  ofOne("remove", "Removes an operator: all sessions end at once.", async (config, email) => {
    await change(config, email, { removed: true });
    tell(deps, `${email} is removed.`);
  });
}

async function change({ storage }: Config, email: string, to: OperatorChange, open = openExisting): Promise<void> {
  await using store = await open(storage);
  const changed = await store.access.changeOperator(email, to, commandLine(store));
  if (changed === "last-admin") {
    const words = "removed" in to ? "cannot be removed" : "keeps the role";
    throw new CommandFailed(`The last admin ${words}: add another one first.`);
  }
  if (!changed) throw new CommandFailed(`There is no operator ${email}.`);
}

const columns: Columns<OperatorRow> = {
  EMAIL: ({ email }) => email,
  ROLE: ({ role }) => role,
  STATE: ({ state }) => state,
  ADDED: ({ createdAt }) => shownDay(createdAt),
};
