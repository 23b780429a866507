// Who is calling, as far as limits are concerned: the address of the connection, or what a trusted proxy says about it.
// What it makes is kept no longer than limits need it, and never logged.
import { BlockList, isIP } from "node:net";

/** Whose `X-Forwarded-For` is believed; the configuration has the same shape. */
export type TrustedProxies =
  | { readonly kind: "none" }
  | { readonly kind: "hops"; readonly count: number }
  | { readonly kind: "cidrs"; readonly list: readonly string[] };

/** @param peer the other end of the connection; undefined once it is gone */
export type ReadClientAddress = (peer: string | undefined, forwardedFor: string | string[] | undefined) => string;

/**
 * Makes the reader of client addresses. It walks from the connection through `X-Forwarded-For`, right to left, for as
 * long as whoever wrote an entry is trusted: what stands further left was sent by a stranger. An entry that is no
 * address ends the walk at the one before, so that nobody gets a limit of his own by sending nonsense.
 */
export function clientAddressReader(trusted: TrustedProxies): ReadClientAddress {
  if (trusted.kind === "none") return (peer = "") => withoutMapping(peer);
  const trusts = trusted.kind === "hops" ? (_: string, hop: number) => hop < trusted.count : inNetworks(trusted.list);
  return (peer = "", forwardedFor = "") => {
    let client = withoutMapping(peer);
    const entries = String(forwardedFor).split(",");
    for (let hop = 0; trusts(client, hop); hop += 1) {
      const next = readEntry(entries.pop() ?? "");
      if (next === undefined) break;
      client = next;
    }
    return client;
  };
}

/**
 * What limits are counted by: an IPv4 address itself, of an IPv6 address its /64, because a single customer has at
 * least as many addresses as that.
 */
export function limitKey(address: string): string {
  if (isIP(address) !== 6) return address;
  return `${groupsOf(address)
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

function inNetworks(list: readonly string[]): (address: string) => boolean {
  const networks = new BlockList();
  for (const network of list) {
    const [address = "", prefix] = network.split("/");
    const family = isIP(address) === 4 ? "ipv4" : "ipv6";
    if (prefix === undefined) networks.addAddress(address, family);
    else networks.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && networks.check(address, version === 4 ? "ipv4" : "ipv6");
  };
}

// Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
function readEntry(text: string): string | undefined {
  const entry = text.trim();
  const address = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(entry)?.[1] ?? entry.replace(/^([0-9.]+):\d{1,5}$/, "$1");
  return isIP(address) === 0 ? undefined : withoutMapping(address);
}

// A socket that listens on IPv6 writes IPv4 addresses as `::ffff:192.0.2.1`, which is the same client.
function withoutMapping(address: string): string {
  const groups = isIP(address) === 6 ? groupsOf(address) : [];
  const mapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  return mapped ? groups.slice(6).flatMap(bytesOf).join(".") : address;
}

const bytesOf = (group: number) => [group >> 8, group & 0xff];

function groupsOf(address: string): number[] {
  const [head = "", tail] = address.replace(/%.*$/s, "").split("::");
  const [before, after] = [groupsIn(head), groupsIn(tail ?? "")];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function groupsIn(part: string): number[] {
  if (part === "") return [];
  return part.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
