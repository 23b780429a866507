// Packages that are installed only where a setting asks for what needs them.
import about from "../package.json" with { type: "json" };
import { OperatorError } from "./operator-error.ts";

/** A setting that is well-formed and cannot be used: what it names is not there or not installed. */
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
