// No parser and no pattern between a request and its procedure, or over an uploaded file, takes more than linear work: inputs
// that are the worst for one that tries again and again, at half of the size that the limits let in and at the whole of it.
import { request } from "node:http";
import { inquiryInput } from "@submissions/shared/inquiry";
import { bytesMax } from "@submissions/shared/limits";
import { describe, expect, test } from "vitest";
import { requireJson } from "../../../server/src/http/body/content-type.ts";
import { DelimiterCounter } from "../../../server/src/http/body/delimiter-counter.ts";
import { FormBody, formShapes } from "../../../server/src/http/body/form-body.ts";
import { clientAddress, trustOf } from "../../../server/src/http/gate/client-address.ts";
import { hasProgramName } from "../../../server/src/resumes/programs.ts";
import { addresses, buyer, type Procedure } from "../../support/doors.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";

/** Twice the size may take a little more than twice the work: larger inputs fit the processor's caches less well. */
const growthMax = 2.2;

const timesEach = 3;
/** On a busy machine few rounds run undisturbed. Work that grows too fast does so in all of them. */
const roundsMax = 30;
/** What takes less than this for the larger input is too little to grow into anything. */
const negligibleMs = 0.3;

/** How many times as much work an input of twice the size is; 0 when both are next to none. */
async function growthOf<Input>(
  make: (size: number) => Input,
  size: number,
  work: (input: Input) => unknown,
): Promise<number> {
  const [small, large] = [make(size), make(2 * size)];
  let growth = Infinity;
  for (let round = 0; round < roundsMax && growth > growthMax; round += 1) {
    let [ofSmall, ofLarge] = [Infinity, Infinity];
    for (let time = 0; time < timesEach; time += 1) {
      ofSmall = Math.min(ofSmall, await msOf(work, small));
      ofLarge = Math.min(ofLarge, await msOf(work, large));
    }
    growth = ofLarge < negligibleMs ? 0 : Math.min(growth, ofLarge / ofSmall);
  }
  return growth;
}

async function msOf<Input>(work: (input: Input) => unknown, input: Input): Promise<number> {
  const begun = performance.now();
  await work(input);
  return performance.now() - begun;
}

/** What cannot be refused may throw a fault; the work is what counts. */
function tried(work: () => unknown): void {
  try {
    work();
  } catch {
    // A fault.
  }
}

async function expectLinear<T>(make: (size: number) => T, bytes: number, work: (input: T) => unknown): Promise<void> {
  expect(await growthOf(make, Math.floor(bytes / 2) - 500, work)).toBeLessThanOrEqual(growthMax);
}

describe("headers", () => {
  const contentTypes: Record<string, (size: number) => string> = {
    "blanks before nothing": (size) => `a/b${" ".repeat(size)}x`,
    "empty parameters": (size) => `a/b${";".repeat(size)}x`,
    "parameters with blanks": (size) => `a/b${"; ".repeat(size / 2)}"`,
    "parameters with values": (size) => `a/b${";a=b".repeat(size / 4)}"`,
    "one long value": (size) => `a/b;a=${"b".repeat(size)}"`,
    "quotes that do not end": (size) => `a/b;a="${"\\b".repeat(size / 2)}`,
    "many quotes": (size) => `a/b${';a="b"'.repeat(size / 6)}x`,
    "charsets without end": (size) => `a/b${';charset="'.repeat(size / 10)}`,
    "boundaries without end": (size) => `multipart/form-data${';boundary="'.repeat(size / 11)}`,
  };
  test.each(Object.entries(contentTypes))("a content type of %s", async (_, make) => {
    await expectLinear(make, bytesMax.headers, (header) => {
      for (let time = 0; time < 20; time += 1) {
        tried(() => requireJson({ "content-type": header }));
        tried(() => new DelimiterCounter(header));
      }
    });
  });

  const forwarded: Record<string, (size: number) => string> = {
    commas: (size) => ",".repeat(size),
    blanks: (size) => `x${" ".repeat(size)}x`,
    brackets: (size) => "[".repeat(size),
    digits: (size) => `${"1.".repeat(size / 2)}:x`,
    colons: (size) => ":".repeat(size),
    addresses: (size) => "10.0.0.1,".repeat(size / 9),
  };
  test.each(Object.entries(forwarded))("a chain of proxies of %s", async (_, make) => {
    const trusts = trustOf(["10.0.0.0/8"]);
    await expectLinear(make, bytesMax.headers, (header) => {
      for (let time = 0; time < 20; time += 1) clientAddress(trusts, "10.0.0.1", header);
    });
  });
});

describe("multipart bodies", () => {
  const long = "b".repeat(70);
  const bodies: readonly [name: string, boundary: string, make: (size: number) => string][] = [
    ["delimiters", "b", (size) => "--b\r\n".repeat(size / 5)],
    ["ends of lines", "b", (size) => "\r\n".repeat(size / 2)],
    ["nearly delimiters", "b", (size) => "\r\n--".repeat(size / 4)],
    ["hyphens", "b", (size) => "-".repeat(size)],
    ["what is nearly the longest delimiter", long, (size) => `\r\n--${long.slice(1)}`.repeat(size / long.length)],
  ];
  test.each(bodies)("of %s are counted", async (_, boundary, make) => {
    await expectLinear(
      (size) => Buffer.from(make(size)),
      bytesMax.multipartForm,
      (body) => {
        const counter = new DelimiterCounter(`multipart/form-data; boundary=${boundary}`, 20);
        for (let at = 0; at < body.length; at += 65_536) counter.feed(body.subarray(at, at + 65_536));
      },
    );
  });

  test("with a longer delimiter are refused", () => {
    expect(() => new DelimiterCounter(`multipart/form-data; boundary=${long}b`)).toThrow("could not be read");
  });
});

describe("the name of a file in a ZIP file", () => {
  const names: Record<string, (size: number) => string> = {
    "blanks before more": (size) => `.${" ".repeat(size)}x`,
    "blanks behind an extension": (size) => `.a${" ".repeat(size)}x`,
    dots: (size) => `${".".repeat(size)}x`,
    "dots and blanks": (size) => `${". ".repeat(size / 2)}x`,
    extensions: (size) => `${".a ".repeat(size / 3)}x`,
    colons: (size) => `${".a:".repeat(size / 3)}x`,
    "one extension": (size) => `.${"a".repeat(size)} x`,
  };
  test.each(Object.entries(names))("of %s", async (_, make) => {
    // It may be four times as long.
    await expectLinear(make, 16_384, (name) => hasProgramName(name));
  });
});

describe("fields", () => {
  test.each([
    ["identifiers", (size: number) => Array.from({ length: size / 6 }, (_, n) => `p${n}`)],
    ["identifiers that are none", (size: number) => Array.from({ length: size / 2 }, () => 1)],
  ])("of many %s", async (_, make) => {
    await expectLinear<unknown[]>(make, bytesMax.json, (selectedPackageIds) =>
      inquiryInput.safeParse({ ...buyer, selectedPackageIds }),
    );
  });

  test("of a form, many of them", async () => {
    await expectLinear(
      (size) => new URLSearchParams(Array.from({ length: size / 12 }, (_, n) => [`field${n}`, "x"])),
      bytesMax.urlencodedForm,
      (pairs) => tried(() => new FormBody(formShapes["applications.submit"]!).addPairs(pairs)),
    );
  });
});

describe("requests", () => {
  const service = shared(() => startService());

  const send = (path: string, headers: Record<string, string>, body = "") =>
    new Promise((resolve, reject) => {
      const call = request(service().url + path, { method: "POST", headers }, (response) => {
        response.resume().on("end", resolve);
      });
      call.on("error", reject);
      call.end(body);
    });

  const headers: Record<string, (size: number) => string> = {
    accept: (size) => `text/html${",text/html;q=0.1".repeat(size / 16)}`,
    authorization: (size) => `Basic ${" ".repeat(size / 2)}${"a".repeat(size / 2)} !`,
    "idempotency-key": (size) => "k".repeat(size),
    "trpc-accept": (size) => "application/jsonl,".repeat(size / 18),
    origin: (size) => `https://${"a".repeat(size)}`,
    "if-none-match": (size) => "W/".repeat(size / 2),
  };
  test.each(Object.entries(headers))("with a long %s header", async (name, make) => {
    await expectLinear(make, bytesMax.headers, async (value) => {
      for (const path of ["/api/newsletter/subscribe", "/trpc/newsletter.subscribe", "/nothing"]) {
        await send(path, { [name]: value, "content-type": "text/plain" });
      }
    });
  });

  test.each([
    ["commas", (size: number) => `/trpc/${",".repeat(size)}`],
    ["percent signs", (size: number) => `/${"%41".repeat(size / 3)}`],
    ["slashes", (size: number) => "/".repeat(size)],
    ["questions", (size: number) => `/trpc/newsletter.subscribe${"?batch=1&".repeat(size / 9)}`],
  ])("to an address of %s", async (_, make) => {
    await expectLinear(make, bytesMax.headers, (path) => send(path, {}));
  });

  const urlencoded = "application/x-www-form-urlencoded";
  const objectOf = (length: number, value: unknown) =>
    JSON.stringify(Object.fromEntries(Array.from({ length }, (_, n) => [`n${n}`, value])));
  const bodies: readonly [name: string, procedure: Procedure, type: string, make: (size: number) => string][] = [
    ["nested lists", "marketplace.inquiry", "application/json", (size) => "[".repeat(size / 2) + "]".repeat(size / 2)],
    ["many names", "marketplace.inquiry", "application/json", (size) => objectOf(size / 10, 0)],
    ["many nulls", "applications.submit", "application/json", (size) => objectOf(size / 13, null)],
    ["ampersands", "applications.submit", urlencoded, (size) => "&".repeat(size)],
    ["encoded bytes", "applications.submit", urlencoded, (size) => `x=${"%41".repeat(size / 3)}`],
  ];
  test.each(bodies)("with a body of %s", async (_, procedure, type, make) => {
    const most = type === "application/json" ? bytesMax.json : bytesMax.urlencodedForm;
    await expectLinear(make, most, (body) => send(addresses[procedure], { "content-type": type }, body));
  });
});
