// `check-config`: the configuration in force, or all mistakes in it.
import type { Command } from "commander";
import { publicUrl } from "../config/config.ts";
import { describeSettings, reportMisspellings } from "../config/load.ts";
import { configOf, type CommandDeps } from "./command.ts";
import { writeAll } from "./terminal.ts";

const examples = `
Example:
  PORT=8080 npm run submissions -- check-config
`;

export function registerCheckConfig(program: Command, deps: CommandDeps): void {
  program
    .command("check-config")
    .description("Shows the configuration in force, secrets masked, or names all mistakes in it and ends with 78.")
    .addHelpText("after", examples)
    .action(async () => {
      deps.messages.write(reportMisspellings(deps.environment));
      const config = configOf(deps);
      // What these are when they are unset depends on other settings.
      const derived = new Map([
        ["PUBLIC_URL", publicUrl(config)],
        ["BRAND", config.brand],
      ]);
      const lines = describeSettings(deps.environment).map(
        ([name, value]) => `${name}=${derived.get(name) ?? value}\n`,
      );
      await writeAll(lines, deps.output);
    });
}
