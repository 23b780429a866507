// A real browser for tests, and a visit of one person in it that fails when anything in a page went wrong.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeBuilder } from "@axe-core/playwright";
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  type Page,
  type Request,
  type Route,
} from "playwright-core";
import { inject, onTestFailed, TestRunner } from "vitest";

let ofWorker: Promise<Browser> | undefined;

/** The browser of this process, which all files of tests in it share and which ends with it. */
export function openBrowser(): Promise<Browser> {
  return (ofWorker ??= startBrowser(() => inject("packedBrowser")).then((browser) => {
    browser.once("disconnected", () => (ofWorker = undefined));
    return Object.assign(browser, { [Symbol.asyncDispose]: async () => {} });
  }));
}

/** Starts the browser at CHROMIUM_PATH, or else the packed one, or else the system's. */
export async function startBrowser(packed: () => string | Promise<string>): Promise<Browser> {
  const named = process.env["CHROMIUM_PATH"];
  const paths = named === undefined ? [packed, systemBrowser] : [() => named];
  const failures: unknown[] = [];
  for (const path of paths) {
    try {
      return await chromium.launch({ executablePath: await path(), args: usualArgs });
    } catch (error) {
      // It is not there, or lacks a library of the system; the next one may do.
      failures.push(error);
    }
  }
  throw new AggregateError(failures, "No browser starts here: set CHROMIUM_PATH to a Chromium.");
}

/** Another host than the loopback's, over plain HTTP. */
export const plainHost = "site.example";

const usualArgs = [
  // Tests run as any user, in containers as root, where the sandbox does not start. The pages are ours.
  "--no-sandbox",
  // To start a process and to compile the same scripts again costs as much as all that a test does in a page.
  "--process-per-site",
  "--in-process-gpu",
  // A name that is not of this machine, for what browsers do over plain HTTP only.
  `--host-resolver-rules=MAP ${plainHost} 127.0.0.1`,
  // No page lives long enough for the compilers that optimise.
  "--js-flags=--no-opt --no-maglev",
];

const systemBrowser = () => "/usr/bin/chromium";

const axeFile = createRequire(import.meta.resolve("@axe-core/playwright")).resolve("axe-core/axe.min.js");
const axeSource = readFileSync(axeFile, "utf8");

type Options = Parameters<AxeBuilder["options"]>[0];
type Violations = Awaited<ReturnType<AxeBuilder["analyze"]>>["violations"];

export const onlyColours: Options = { runOnly: { type: "rule", values: ["color-contrast"] } };

/** What axe finds. It is put into the page once, without its style sheets, which the page's policy may forbid. */
export async function barriersOf(page: Page, options: Options = {}): Promise<Violations> {
  if (await page.evaluate(() => !("axe" in globalThis))) await page.evaluate(axeSource);
  return page.evaluate(
    async (given) => {
      const { axe } = globalThis as unknown as {
        axe: { run(of: unknown, how: object): Promise<{ violations: Violations }> };
      };
      return (await axe.run(document, given)).violations;
    },
    { resultTypes: ["violations"] as ["violations"], preload: false, ...options },
  );
}

/** A profile of the browser with its page, which one visit after another has for itself: a new page takes longer to load. */
interface Profile {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly options: string;
}

const idle = new WeakMap<Browser, Profile[]>();

const heard = ["console", "dialog", "framenavigated", "pageerror", "request", "requestfailed", "requestfinished"];

async function openProfile(browser: Browser, options: BrowserContextOptions): Promise<Profile> {
  const kept = idle.getOrInsertComputed(browser, () => []);
  const name = JSON.stringify(options);
  const at = kept.findIndex((profile) => profile.options === name);
  if (at >= 0) return kept.splice(at, 1)[0]!;
  const context = await browser.newContext(options);
  // Longer than anything takes on a busy machine, and shorter than a test may.
  context.setDefaultTimeout(20_000);
  return { context, page: await context.newPage(), options: name };
}

const storageTypes = "local_storage,indexeddb,cache_storage";

/** Makes a profile as if it were new. Answers whether that can be done. */
async function tidy({ context, page }: Profile, origins: Iterable<string>): Promise<boolean> {
  // The clock cannot be set going again.
  if (page.isClosed() || (await page.evaluate(() => "__pwClock" in globalThis))) return false;
  for (const one of context.pages()) if (one !== page) await one.close();
  for (const event of heard) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await context.setOffline(false);
  const devtools = await context.newCDPSession(page);
  // What a session has stored can be forgotten in a page of its origin only.
  for (const origin of origins) {
    if (origin !== new URL(page.url()).origin) {
      await page.route(`${origin}/`, (route) => route.fulfill({ body: "" }), { times: 1 });
      await page.goto(origin);
    }
    await page.evaluate(() => sessionStorage.clear());
    await devtools.send("Storage.clearDataForOrigin", { origin, storageTypes });
  }
  await page.goto("about:blank");
  await context.clearCookies();
  await devtools.send("Page.resetNavigationHistory");
  await devtools.detach();
  return true;
}

/**
 * Handles the next requests to an address. The route stays behind them, because Playwright loses a request that begins
 * while the last route is taken away.
 */
export async function routeNext(page: Page, url: string, handle: (route: Route) => unknown, times = 1): Promise<void> {
  let left = times;
  await page.route(url, (route) => {
    left -= 1;
    return left < 0 ? route.fallback() : handle(route);
  });
}

/** One person's visit, in a profile of its own. */
export class Visit implements AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly #end: () => Promise<void>;
  readonly #problems: string[] = [];
  readonly #expected: RegExp[] = [];
  readonly #devtools: CDPSession[] = [];

  private constructor(page: Page, end: () => Promise<void>) {
    this.context = page.context();
    this.page = page;
    this.#end = end;
    page.on("console", (message) => {
      if (message.type() === "error") this.#problems.push(`${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => this.#problems.push(String(error)));
    this.#reportWhenFailed(page);
  }

  /** A test that fails says what the page wrote to the console, and which requests had no answer by then. */
  #reportWhenFailed(page: Page): void {
    // A visit that all tests of a file share begins in a hook.
    if (TestRunner.getCurrentTest() === undefined) return;
    const messages: string[] = [];
    const unanswered = new Set<Request>();
    page.on("console", (message) => messages.push(`${message.type()}: ${message.text()}`));
    page.on("request", (request) => unanswered.add(request));
    page.on("requestfailed", (request) => unanswered.delete(request));
    page.on("requestfinished", (request) => unanswered.delete(request));
    onTestFailed(() => console.error({ messages, unanswered: [...unanswered].map((request) => request.url()) }));
  }

  /**
   * Visits with the same options use one profile after another; what can be set in a page is. A script of `addInitScript`
   * cannot be taken out of a page: a test that adds one closes the page.
   */
  static async begin(
    browser: Browser,
    {
      viewport = { width: 1280, height: 720 },
      colorScheme = null,
      reducedMotion,
      forcedColors = null,
      ...options
    }: BrowserContextOptions = {},
  ): Promise<Visit> {
    const profile = await openProfile(browser, options);
    const { context, page } = profile;
    await page.setViewportSize(viewport!);
    // Without movements that a test would wait for, for example smooth scrolling; a test of those asks for them.
    await page.emulateMedia({ media: null, colorScheme, forcedColors, reducedMotion: reducedMotion ?? "reduce" });
    const origins = new Set<string>();
    page.on("framenavigated", (frame) => origins.add(new URL(frame.url()).origin));
    return new Visit(page, async () => {
      if (
        await tidy(
          profile,
          [...origins].filter((origin) => origin.startsWith("http")),
        )
      )
        idle.get(browser)!.push(profile);
      else await context.close();
    });
  }

  /** Names problems that the test provokes. The visit fails when one of them does not occur. */
  expectProblems(...patterns: readonly RegExp[]): void {
    this.#expected.push(...patterns);
  }

  /** The browser's own tools. What they have set, such as a slow network, ends with the visit. */
  async devtools(): Promise<CDPSession> {
    const session = await this.context.newCDPSession(this.page);
    this.#devtools.push(session);
    return session;
  }

  /** Fails when something went wrong, or a problem that was named did not occur, since this was last asked. */
  check(): void {
    const problems = this.#problems.splice(0);
    const expected = this.#expected.splice(0);
    const unforeseen = problems.filter((text) => !expected.some((pattern) => pattern.test(text)));
    const absent = expected.filter((pattern) => !problems.some((text) => pattern.test(text)));
    if (unforeseen.length > 0) throw new Error(`Problems in the page:\n${unforeseen.join("\n")}`);
    if (absent.length > 0) throw new Error(`Did not occur in the page: ${absent.join(", ")}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#devtools) await session.detach();
    await this.#end();
    this.check();
  }
}
