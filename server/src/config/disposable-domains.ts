// Reads the operator's own list of hosts with throw-away addresses. What it is used for, the intake knows.
import { email } from "@submissions/shared/fields";
import { readSettingsFile } from "./settings-file.ts";
import { Wrong } from "./variables.ts";

/**
 * Reads a text with one domain a line; what follows a `#` is a comment. Answers the domains in lower case and ASCII, or
 * in plain words why the file cannot be used.
 */
export function readDisposableDomains(file: string): readonly string[] | Wrong {
  const text = readSettingsFile(file);
  if (text instanceof Wrong) return text;
  const domains = new Set<string>();
  for (const [index, line] of text.split("\n").entries()) {
    const domain = line.replace(/#.*/s, "").trim();
    if (domain === "") continue;
    // Read as the host of an address, so that both are written alike.
    const address = email.safeParse(`a@${domain}`);
    if (!address.success || domain.includes("@")) return new Wrong(`line ${index + 1} of the file is not one domain.`);
    domains.add(address.data.slice("a@".length));
  }
  return [...domains];
}
