// Which client a request comes from, as far as limits are concerned, and which host it asked for: the address of the
// connection and `Host`, or what a trusted proxy says about them. Addresses are kept no longer than limits need them, and never logged.
import type { IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import ipaddr from "ipaddr.js";

/** Whose `X-Forwarded-For` is believed: how many proxies stand before this service, or their addresses and networks. */
export type TrustedProxies = number | readonly string[];

/** What the limits of a client are counted by: an IPv4 address, or so much of an IPv6 address as a customer has. */
export interface ClientKeys {
  /** Submissions: the /64 that every customer has at least. */
  readonly rate: string;
  /** What is open at once: the /56 that many customers have. */
  readonly share: string;
}

type Trusts = (address: string, hop: number) => boolean;

export class ClientAddresses {
  readonly #trusts: Trusts;

  constructor(trusted: TrustedProxies) {
    this.#trusts = trustOf(trusted);
  }

  keysOf({ socket, headers }: IncomingMessage): ClientKeys {
    // Node joins the lines of this header.
    const forwardedFor = headers["x-forwarded-for"] as string | undefined;
    return keysOf(clientAddress(this.#trusts, socket.remoteAddress, forwardedFor));
  }

  /** The host that a client asked for: `Host`, or what a trusted proxy says that it was. */
  hostOf({ socket, headers }: IncomingMessage): string | undefined {
    const isProxy = this.#trusts(normalised(socket.remoteAddress ?? ""), 0);
    // Node joins the lines of this header. The first entry is of the outermost proxy.
    const forwarded = isProxy ? (headers["x-forwarded-host"] as string | undefined) : undefined;
    return forwarded?.split(",", 1)[0]?.trim() ?? headers.host;
  }

  /** The keys of the client that opened a connection; null for a proxy, whose connections carry many clients. */
  keysOfPeer({ remoteAddress }: Socket): ClientKeys | null {
    const peer = normalised(remoteAddress ?? "");
    return this.#trusts(peer, 0) ? null : keysOf(peer);
  }
}

// Walks from the connection through `X-Forwarded-For`, right to left, while the address that wrote an entry is trusted: what
// stands further left was sent by the client. An entry that is no address ends the walk at the proxy before it.
export function clientAddress(trusts: Trusts, peer = "", forwardedFor = ""): string {
  let client = normalised(peer);
  if (!trusts(client, 0)) return client;
  const entries = forwardedFor.split(",");
  for (let hop = 0; trusts(client, hop); hop += 1) {
    const next = readEntry(entries.pop() ?? "");
    if (next === null) break;
    client = next;
  }
  return client;
}

/** Which addresses are proxies of ours, by their distance from this service. */
export function trustOf(trusted: TrustedProxies): Trusts {
  if (typeof trusted === "number") return (_address, hop) => hop < trusted;
  const networks = trusted.map((network) =>
    ipaddr.parseCIDR(network.includes("/") ? network : `${network}/${isIP(network) === 4 ? 32 : 128}`),
  );
  return (text) => {
    if (isIP(text) === 0) return false;
    const address = ipaddr.parse(text);
    return networks.some((network) => network[0].kind() === address.kind() && address.match(network));
  };
}

/** The keys of an address; all that is no address has the same ones. */
export function keysOf(address: string): ClientKeys {
  if (isIP(address) !== 6) return { rate: address, share: address };
  const bytes = ipaddr.parse(address).toByteArray();
  const prefix = (length: number) => `${Buffer.from(bytes.slice(0, length / 8)).toString("hex")}/${length}`;
  return { rate: prefix(64), share: prefix(56) };
}

// Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
function readEntry(text: string): string | null {
  const entry = text.trim();
  const address = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(entry)?.[1] ?? entry.replace(/^([0-9.]+):\d{1,5}$/, "$1");
  return isIP(address) === 0 ? null : normalised(address);
}

// `::ffff:192.0.2.1` is IPv4. Node decides what an address is: ipaddr.js also takes octal, hexadecimal and short forms.
const normalised = (address: string): string => (isIP(address) === 6 ? ipaddr.process(address).toString() : address);
