// Tells addresses at hosts that give throw-away addresses to anyone. A mark for the team and nothing more: such an
// address may be all that an honest person wants to give. Only submissions keep it, from when they are made searchable.
import { disposableEmailBlocklistSet } from "disposable-email-domains-js";

/** Whether an e-mail address, as the schemas leave it, is at such a host or one below it. */
export type IsDisposable = (email: string) => boolean;

/** @param own hosts beside those of the public list, in lower case and ASCII */
export function disposableHosts(own: readonly string[]): IsDisposable {
  // The list takes a megabyte. It is read when the first address is asked about.
  let hosts: ReadonlySet<string> | null = null;
  return (email) => {
    hosts ??= new Set([...disposableEmailBlocklistSet(), ...own]);
    const labels = email.slice(email.lastIndexOf("@") + 1).split(".");
    // The last label alone is a whole country.
    return labels.slice(0, -1).some((_label, first) => hosts?.has(labels.slice(first).join(".")));
  };
}
