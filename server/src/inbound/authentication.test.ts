import { expect, test } from "vitest";
import { readReceivedSpf } from "./authentication.ts";

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
