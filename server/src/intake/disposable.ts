// Tells addresses at hosts that give throw-away addresses to anybody. A mark for the team and nothing more: such an
// address may be all that an honest person wants to give.
import { disposableEmailBlocklistSet } from "disposable-email-domains-js";

/** Whether an e-mail address, as the schemas leave it, is at such a host or one below it. */
export type IsDisposable = (email: string) => boolean;

/** @param own hosts beside those that are known everywhere, in lower case and ASCII */
export function disposableHosts(own: readonly string[]): IsDisposable {
  const hosts = disposableEmailBlocklistSet();
  for (const host of own) hosts.add(host);
  return (email) => {
    const labels = email.slice(email.lastIndexOf("@") + 1).split(".");
    // The last label alone is a whole country.
    return labels.slice(0, -1).some((_label, first) => hosts.has(labels.slice(first).join(".")));
  };
}
