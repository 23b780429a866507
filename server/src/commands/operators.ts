// `operators`: who may use the console.
import { roles, type OperatorRow, type Role } from "@submissions/shared/console";
import { Option, type Command } from "commander";
import { linkAddress } from "../start-up.ts";
import { drawSecret, hashSecret } from "../secrets.ts";
import { openStore } from "../storage/open-store.ts";
import { CommandFailed, commandLine, configOf, tell, type CommandDeps, parseEmail } from "./command.ts";
import { forTerminal, writeAll, writeList } from "./terminal.ts";

const examples = `
admin sees everything; sales inquiries; recruiting applications and resumes; marketing subscribers. The last line of add
is a link that works once, within 7 days: give it to the operator, who sets a password there. For an operator who exists
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
  operators
    .command("add")
    .description("Invites an operator and prints the invitation's link.")
    .argument("<email>", "of the operator", parseEmail)
    .addOption(new Option("--role <role>", "what the operator may see").choices(roles).makeOptionMandatory())
    .action(async (email: string, { role }: { role: Role }) => {
      const config = configOf(deps);
      await using store = await openStore(config.storage);
      const token = drawSecret();
      const invitation = { role, invitationHash: hashSecret(token) };
      const invited = await store.access.changeOperator(email, invitation, commandLine(store));
      if (invited === "last-admin") throw new CommandFailed("The last admin keeps the role: add another one first.");
      tell(deps, `${email} is invited as ${role}. The link works once, within 7 days:`);
      await writeAll([`${await linkAddress(config)}/console/invitation#token=${token}\n`], deps.output);
    });
  operators
    .command("list")
    .description("Lists operators with their roles.")
    .option("--json", "one JSON array instead of a table")
    .action(async ({ json = false }: { json?: boolean }) => {
      await using store = await openStore(configOf(deps).storage, { access: "read-only" });
      const items = await store.access.listOperators();
      const rows = [["EMAIL", "ROLE", "STATE", "ADDED"], ...items.map(rowOf)];
      await writeList(deps, { items, rows, noun: "operators" }, json);
    });
  operators
    .command("reset-factor")
    .description("Takes an operator's second factor and recovery codes away: the password alone signs in again.")
    .argument("<email>", "of the operator", parseEmail)
    .action(async (email: string) => {
      await using store = await openStore(configOf(deps).storage);
      if (!(await store.access.changeOperator(email, { secondFactor: null }, commandLine(store))))
        throw unknownOperator(email);
      tell(deps, `${email} has no second factor any more.`);
    });
  operators
    .command("sign-in")
    .description("Prints a link that signs an operator in: once, within 15 minutes.")
    .argument("<email>", "of the operator", parseEmail)
    .action(async (email: string) => {
      const config = configOf(deps);
      await using store = await openStore(config.storage);
      const token = drawSecret();
      if (!(await store.access.changeOperator(email, { signInLinkHash: hashSecret(token) }, commandLine(store))))
        throw unknownOperator(email);
      tell(deps, `The link signs ${email} in once, within 15 minutes:`);
      await writeAll([`${await linkAddress(config)}/console/sign-in#token=${token}\n`], deps.output);
    });
  operators
    .command("remove")
    .description("Removes an operator: all sessions end at once.")
    .argument("<email>", "of the operator", parseEmail)
    .action(async (email: string) => {
      await using store = await openStore(configOf(deps).storage);
      const removed = await store.access.changeOperator(email, { removed: true }, commandLine(store));
      if (removed === "last-admin") throw new CommandFailed("The last admin cannot be removed: add another one first.");
      if (!removed) throw unknownOperator(email);
      tell(deps, `${email} is removed.`);
    });
}

const unknownOperator = (email: string) => new CommandFailed(`There is no operator ${email}.`);

const rowOf = ({ email, role, state, createdAt }: OperatorRow): string[] =>
  [email, role, state, new Date(createdAt).toISOString().slice(0, 10)].map(forTerminal);
