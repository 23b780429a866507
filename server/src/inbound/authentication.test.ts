import { expect, test } from "vitest";
import { readAuthenticationResults, readReceivedSpf } from "./authentication.ts";

const pairs = "client-ip=192.0.2.1; helo=mx.example.org; envelope-from=ann@example.com; receiver=a";

test.each([
  ["Pass (mailfrom) identity=mailfrom; " + pairs, "example.com"],
  [
    'pass (mx.a: domain of ann@example.com designates 192.0.2.1) envelope-from="<ann@example.com>"; helo=x',
    "example.com",
  ],
  [
    "pass (google.com: domain of ann@example.com designates 192.0.2.1 as permitted sender) client-ip=192.0.2.1;",
    "example.com",
  ],
  ['pass envelope-from="ann@example.org; x"@example.com', "example.com"],
  ["pass x-software=a b c; envelope-from=ann@example.com", "example.com"],
  // Exchange Online.
  [
    "Pass (protection.outlook.com: domain of example.com designates 192.0.2.1 as permitted sender)" +
      " receiver=protection.outlook.com; client-ip=192.0.2.1; helo=eur05.example.net; pr=C",
    "example.com",
  ],
  ["pass (mx.a: domain of example.org designates 192.0.2.1) envelope-from=x@evil.example", "evil.example"],
  ['pass (mx.a: domain of "example.org designates x"@evil.example designates 192.0.2.1) helo=x', undefined],
  ["pass identity = mailfrom (RFC 7208); envelope-from = ann@example.com", "example.com"],
  // The pass is about what was said at HELO.
  ["Pass (mailfrom) identity=helo; " + pairs, "mx.example.org"],
  ["pass identity=constructor; " + pairs, undefined],
  ["pass identity=helo; identity=mailfrom; " + pairs, undefined],
  // Words of the sender beside or before the pair that the server wrote.
  ["pass helo=a envelope-from=ann@example.org; envelope-from=x@evil.example", "evil.example"],
  ["pass helo=a; envelope-from=ann@example.org; envelope-from=x@evil.example", undefined],
  ["pass (mx.a: domain of x@evil.example designates 192.0.2.1) envelope-from=ann@example.org", undefined],
  ["pass client-ip=192.0.2.1 envelope-from=ann@example.org", undefined],
])("whom a pass is about: %s", (value, domain) => {
  expect(readReceivedSpf(value)).toStrictEqual({ result: "pass", ...(domain !== undefined && { domain }) });
});

test.each([
  ["mx.a; dmarc=pass(p=NONE) header.from=example.org;", [["dmarc", "pass", "example.org"]]],
  ["mx.a (amavisd-new); dkim=pass (1024-bit key)\r\n header.d=example.org", [["dkim", "pass", "example.org"]]],
  ["mx.a 1; dkim (a) / 1 (b) = (c) pass header (d) . (e) d (f) = (g) example.org", [["dkim", "pass", "example.org"]]],
  ["mx.a; spf=none smtp.mailfrom= smtp.helo=mx.example.net", [["spf", "none", undefined]]],
  ['mx.a; dkim=pass header.b="a=" header.d=example.org', [["dkim", "pass", "example.org"]]],
  // A server that writes what the sender said into a comment as it is.
  [
    'mx.a; spf=pass (domain of "a) ; dmarc=pass ; x=(b"@evil.example) smtp.mailfrom=b@evil.example; dmarc=fail',
    [
      ["spf", "pass", "evil.example"],
      ["dmarc", "fail", undefined],
    ],
  ],
])("what a server found out: %s", (value, found) => {
  const { authservId, results } = readAuthenticationResults(value);
  expect([authservId, results.map(({ method, result, domain }) => [method, result, domain])]).toEqual(["mx.a", found]);
});
