// Settings that cannot be used, and the packages that are installed only where a setting needs them.
import about from "../package.json" with { type: "json" };
import { OperatorError } from "./operator-error.ts";

export type ConfigProblem = { readonly name: string; readonly message: string };

/** All settings that are wrong, or one that is found wrong only when it is used: the packages that it needs are missing. */
export class SettingUnusable extends OperatorError {
  readonly problems: readonly ConfigProblem[];

  constructor(...problems: readonly ConfigProblem[]) {
    super(problems.map(({ name, message }) => `${name}: ${message}`).join(" "));
    this.problems = problems;
  }
}

/** Loads what needs the optional packages of a scope, for a setting. @throws SettingUnusable when they are not installed */
export async function loadOptional<T>(load: () => Promise<T>, variable: string, scope: string): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    const packages = Object.entries(about.peerDependencies).filter(([name]) => name.startsWith(`${scope}/`));
    const install = packages.map(([name, version]) => `${name}@${version}`).join(" ");
    const message = `needs packages that are not installed: npm install --no-save --omit=dev ${install}`;
    throw new SettingUnusable({ name: variable, message });
  }
}
