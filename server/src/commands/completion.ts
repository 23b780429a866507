// `completion`: a script that has bash or zsh complete commands, options and their values. Made from the commands, so it
// cannot fall behind them.
import { resolve } from "node:path";
import { Argument, type Command } from "commander";
import type { CommandDeps } from "./command.ts";
import { writeAll } from "./terminal.ts";

const examples = `
The script also defines the command submissions, short for npm run --silent submissions --. Put the line into ~/.bashrc
or ~/.zshrc:
  source <(npm run --silent --prefix ${process.cwd()} submissions -- completion bash)

Example:
  npm run --silent submissions -- completion zsh > ~/.submissions-completion
`;

export function registerCompletion(program: Command, { output }: CommandDeps): void {
  program
    .command("completion")
    .summary("print a script for completion in bash or zsh")
    .description("Prints a script that has a shell complete the commands.")
    .addArgument(new Argument("<shell>", "which").choices(["bash", "zsh"]))
    .addHelpText("after", examples)
    .action((shell: "bash" | "zsh") => writeAll([scriptFor(program, shell)], output));
}

/** The words that may stand behind a command, by the command's own words. */
function wordsAfter(command: Command, path: string): [path: string, words: readonly string[]][] {
  const { commands, options, registeredArguments } = command;
  const words = [
    ...commands.map((one) => one.name()),
    ...registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    ...options.flatMap(({ long }) => long ?? []),
    "--help",
  ];
  return [[path, words], ...commands.flatMap((one) => wordsAfter(one, `${path} ${one.name()}`))];
}

/** The values of options that have a choice, by the words of the command and the option. */
function choicesOf({ options, commands }: Command, path: string): [typed: string, words: readonly string[]][] {
  const own = options.flatMap(({ long, argChoices }): [string, readonly string[]][] =>
    long && argChoices ? [[`${path}"*" ${long}`, argChoices]] : [],
  );
  return [...own, ...commands.flatMap((one) => choicesOf(one, `${path} ${one.name()}`))];
}

// compinit runs only where it has not run yet: a second run would forget what the user's own scripts defined. Both
// shells get the same script, so zsh loads its emulation of bash's completion.
const readyZsh = `\
(( $+functions[compdef] )) || { autoload -U +X compinit && compinit; }
autoload -U +X bashcompinit && bashcompinit
`;

function scriptFor(program: Command, shell: "bash" | "zsh"): string {
  const folder = resolve(import.meta.dirname, "../../..").replaceAll("'", String.raw`'\''`);
  // The longest path first: `mail list` before `mail`.
  const paths = wordsAfter(program, "").toSorted(([one], [other]) => other.length - one.length);
  return `${shell === "zsh" ? readyZsh : ""}\
submissions() { npm run --silent --prefix '${folder}' submissions -- "$@"; }
_submissions() {
  local typed="" words="" word
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do typed="$typed $word"; done
  case "$typed" in
${choicesOf(program, "")
  .map(([typed, words]) => `    "${typed}") words="${words.join(" ")}" ;;`)
  .join("\n")}
${paths.map(([path, words]) => `    "${path}"*) words="${words.join(" ")}" ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _submissions submissions
`;
}
