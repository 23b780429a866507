import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { ClientAddresses, clientAddress, keysOf, trustOf, type TrustedProxies } from "./client-address.ts";

const read = (trusted: TrustedProxies, peer: string | undefined, forwardedFor?: string) =>
  clientAddress(trustOf(trusted), peer, forwardedFor);

describe("without trusted proxies", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::ffff:c000:201", "192.0.2.1"],
    ["0:0:0:0:0:FFFF:C000:0201", "192.0.2.1"],
    ["::fffe:c000:201", "::fffe:c000:201"],
    ["1::ffff:c000:201", "1::ffff:c000:201"],
    ["0:0:1:0:0:ffff:c000:201", "::1:0:0:ffff:c000:201"],
    ["::1", "::1"],
    [undefined, ""],
  ])("%s is %s, whatever the header says", (peer, expected) => {
    expect(read(0, peer, "203.0.113.9")).toBe(expected);
  });
});

describe("behind a number of proxies", () => {
  test.each([
    [1, "203.0.113.9", "203.0.113.9"],
    [1, "198.51.100.66, 203.0.113.9", "203.0.113.9"],
    [2, "198.51.100.66, 203.0.113.9, 10.0.0.2", "203.0.113.9"],
    // Fewer entries than proxies: the outermost that there is.
    [3, "203.0.113.9, 10.0.0.2", "203.0.113.9"],
    [1, undefined, "10.0.0.1"],
    [1, "", "10.0.0.1"],
    [1, "203.0.113.9:4711", "203.0.113.9"],
    [1, "[2001:db8::1]:4711", "2001:db8::1"],
    [1, "[2001:db8::1]", "2001:db8::1"],
    [1, "::ffff:203.0.113.9", "203.0.113.9"],
  ])("of %i proxies, %s means %s", (count, header, expected) => {
    expect(read(count, "10.0.0.1", header)).toBe(expected);
  });

  test("an entry that is no address means the proxy that wrote it", () => {
    const none =
      "unknown _hidden 203.0.113 203.0.113.9.1 203.0.113.9:123456 x203.0.113.9:80 x[2001:db8::1] [2001:db8::1]x " +
      "[2001:db8::1]:123456 <script> 1e9 0x7f000001 ,";
    for (const header of [...none.split(" "), "x".repeat(9_000)])
      expect(read(2, "10.0.0.1", `198.51.100.66, ${header}`), header).toBe("10.0.0.1");
  });
});

describe("behind proxies of known networks", () => {
  const ours = ["10.0.0.0/8", "2001:db8:ffff::/48", "127.0.0.1"];
  test.each([
    ["10.0.0.1", "198.51.100.66, 203.0.113.9, 10.1.1.1", "203.0.113.9"],
    ["::ffff:10.0.0.1", "203.0.113.9, ::ffff:10.1.1.1", "203.0.113.9"],
    ["::ffff:10.0.0.1", "203.0.113.9, ::ffff:0a01:0101", "203.0.113.9"],
    ["127.0.0.1", "2001:db8::1, 2001:db8:ffff::7", "2001:db8::1"],
    ["10.0.0.1", "10.9.9.9, 10.1.1.1", "10.9.9.9"],
    ["192.0.2.1", "203.0.113.9", "192.0.2.1"],
    ["127.0.0.2", "203.0.113.9", "127.0.0.2"],
    [undefined, "203.0.113.9", ""],
  ])("%s with %s is %s", (peer, header, expected) => {
    expect(read(ours, peer, header)).toBe(expected);
  });
});

describe("the keys of a client", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "20010db800010002/64", "20010db8000100/56"],
    ["2001:db8:1:2:ffff::", "20010db800010002/64", "20010db8000100/56"],
    ["2001:DB8:0001:0002::1", "20010db800010002/64", "20010db8000100/56"],
    ["2001:db8:1:ff::1", "20010db8000100ff/64", "20010db8000100/56"],
    ["2001:db8:1:100::1", "20010db800010100/64", "20010db8000101/56"],
    ["::1", "0000000000000000/64", "00000000000000/56"],
    ["fe80::1%eth0", "fe80000000000000/64", "fe800000000000/56"],
    ["", "", ""],
  ])("of %s are %s and %s", (address, rate, share) => {
    expect(keysOf(address)).toEqual({ rate, share });
  });
});

describe("the address of a request", () => {
  const requestOf = (socket: object, forwardedFor?: string) =>
    ({ socket, headers: { "x-forwarded-for": forwardedFor } }) as unknown as IncomingMessage;

  test("is read anew when another client uses the connection of a proxy", () => {
    const addresses = new ClientAddresses(1);
    const proxy = { remoteAddress: "10.0.0.1" };
    expect(addresses.keysOf(requestOf(proxy, "192.0.2.1")).rate).toBe("192.0.2.1");
    expect(addresses.keysOf(requestOf(proxy, "192.0.2.2")).rate).toBe("192.0.2.2");
    expect(addresses.keysOf(requestOf(proxy)).rate).toBe("10.0.0.1");
  });

  test("of a connection is a client's, unless a proxy opened it", () => {
    const peer = (address: string) => ({ remoteAddress: address }) as never;
    const addresses = new ClientAddresses(["10.0.0.0/8"]);
    expect(addresses.keysOfPeer(peer("::ffff:10.0.0.1"))).toBeNull();
    expect(addresses.keysOfPeer(peer("192.0.2.1"))?.share).toBe("192.0.2.1");
    expect(new ClientAddresses(1).keysOfPeer(peer("192.0.2.1"))).toBeNull();
    expect(new ClientAddresses(0).keysOfPeer(peer("::1"))?.share).toBe("00000000000000/56");
  });
});
