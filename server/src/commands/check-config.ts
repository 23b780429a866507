// `check-config`: what is in force, or every mistake in it. Opens nothing.
import type { Command } from "commander";
import { describeConfig } from "../config/report.ts";
import { configOf, type CommandDeps } from "./command.ts";
import { writeAll } from "./output.ts";

const examples = `
Example:
  PORT=8080 npm run submissions -- check-config
`;

export function registerCheckConfig(program: Command, deps: CommandDeps): void {
  program
    .command("check-config")
    .summary("show the configuration in force, secrets masked")
    .description("Shows the configuration in force, secrets masked, or names all mistakes in it and ends with 78.")
    .addHelpText("after", examples)
    .action(async () => {
      const lines = describeConfig(configOf(deps)).map(([name, value]) => `${name}=${value}\n`);
      await writeAll(lines, deps.output);
    });
}
