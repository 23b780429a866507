// Settings that turn out to be unusable at the start, and the packages that are installed only where a setting needs them.
import about from "../package.json" with { type: "json" };
import { OperatorError } from "./operator-error.ts";

/** A setting that is found wrong only when it is used, for example because the packages that it needs are missing. */
export class SettingUnusable extends OperatorError {
  readonly variable: string;

  constructor(variable: string, message: string) {
    super(message);
    this.variable = variable;
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
    throw new SettingUnusable(variable, message);
  }
}
