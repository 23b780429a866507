import { expect, test } from "vitest";
import { mayBeCalled, problemOfUrl } from "./target.ts";

const url = (text: string, targets: "public" | "loopback" = "public") => problemOfUrl(text, targets);

test.each([
  "https://crm.example.org/hook?x=1",
  "https://crm.example.org:8443/",
  "https://192.0.9.1/",
  "https://[2a00::1]/",
])("%s may be one of a webhook", (text) => {
  expect(url(text)).toBeNull();
});

test.each([
  ["http://crm.example.org/", "https://"],
  ["ftp://crm.example.org/", "https://"],
  ["crm.example.org", "https://"],
  ["", "https://"],
  ["https://crm.example.org/ x", "https://"],
  [`https://crm.example.org/${"x".repeat(2_048)}`, "https://"],
  ["https://user@crm.example.org/", "user name"],
  ["https://:secret@crm.example.org/", "user name"],
  ["https://crm.example.org/#part", "fragment"],
])("%s is refused: %s", (text, reason) => {
  expect(url(text)).toContain(reason);
});

// URL reads the odd ones as the address that they are.
const refused = `
  127.0.0.1 2130706433 0x7f.1 0177.0.0.1 ①②⑦.0.0.1 localhost LOCALHOST. x.localhost 0.0.0.0 10.1.2.3 100.64.0.1
  169.254.169.254 172.16.0.1 192.168.1.1 192.0.0.1 192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.1 203.0.113.1
  168.63.129.16 100.100.100.200 192.0.0.192 224.0.0.1 240.0.0.1 255.255.255.255 [::1] [::] [fe80::1] [fc00::1] [fd00:ec2::254] [ff02::1]
  [::ffff:127.0.0.1] [::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::1] [2002:7f00:1::] [2001::1] [2001:db8::1]
  [3fff::1] [100::1] [fec0::1] [::ffff:0:127.0.0.1]`;

test.each(refused.trim().split(/\s+/))("https://%s/ is no host of the internet", (host) => {
  expect(url(`https://${host}/`)).toBe("must be a host of the internet.");
});

test("where it is allowed for development, this machine may be called, over http too, and nothing else more", () => {
  for (const host of ["127.0.0.1:3000", "localhost", "[::1]:80", "receiver.localhost"]) {
    expect(url(`http://${host}/`, "loopback")).toBeNull();
  }
  expect(url("http://crm.example.org/", "loopback")).not.toBeNull();
  for (const host of ["10.0.0.1", "169.254.169.254", "[::ffff:127.0.0.1]", "0.0.0.0"]) {
    expect(url(`https://${host}/`, "loopback"), host).not.toBeNull();
  }
});

test("what a name resolves to is judged in the same way", () => {
  expect(mayBeCalled("93.184.215.14", "public")).toBe(true);
  expect(mayBeCalled("2606:2800::1", "public")).toBe(true);
  expect(mayBeCalled("127.0.0.1", "loopback")).toBe(true);
  for (const address of ["127.0.0.1", "10.0.0.1", "fe80::1%eth0", "::ffff:10.0.0.1", "no address", ""]) {
    expect(mayBeCalled(address, "public"), address).toBe(false);
  }
});
