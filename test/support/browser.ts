// A real browser for tests, and a visit of one person in it that fails when anything in a page went wrong: errors in the
// console, among them violations of a content security policy, and exceptions that nobody caught.
import { AxeBuilder } from "@axe-core/playwright";
import packed from "@sparticuz/chromium";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";

let ofWorker: Promise<Browser> | undefined;

/** The browser of this process, which all files of tests in it share and which ends with it; with arguments, another one. */
export function openBrowser(...args: readonly string[]): Promise<Browser> {
  if (args.length > 0) return start(args);
  return (ofWorker ??= start([]).then((browser) => {
    browser.once("disconnected", () => (ofWorker = undefined));
    return Object.assign(browser, { [Symbol.asyncDispose]: async () => {} });
  }));
}

/** Starts the browser at CHROMIUM_PATH, or else the packed one, or else the system's. */
async function start(args: readonly string[]): Promise<Browser> {
  const named = process.env["CHROMIUM_PATH"];
  const paths = named === undefined ? [() => packed.executablePath(), systemBrowser] : [() => named];
  const failures: unknown[] = [];
  for (const path of paths) {
    try {
      // Tests run as whoever runs them, in containers as root, where the sandbox does not start. The pages are ours.
      return await chromium.launch({ executablePath: await path(), args: ["--no-sandbox", ...args] });
    } catch (error) {
      // It is not there, or lacks a library of the system; the next one may do.
      failures.push(error);
    }
  }
  throw new AggregateError(failures, "No browser starts here: set CHROMIUM_PATH to a Chromium.");
}

const systemBrowser = () => "/usr/bin/chromium";

/** What axe finds in a page that embeds no other one. So it needs no page of its own to put together what it found. */
export async function barriersOf(page: Page, options: Parameters<AxeBuilder["options"]>[0] = {}) {
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"], ...options });
  return (await axe.analyze()).violations;
}

/** One person's visit, in a profile of its own. */
export class Visit implements AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly #problems: string[] = [];
  readonly #expected: RegExp[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    page.on("console", (message) => {
      if (message.type() === "error") this.#problems.push(`${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => this.#problems.push(String(error)));
  }

  static async begin(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
    // Without movements that a test would wait for, such as smooth scrolling; whoever tests those asks for them.
    const context = await browser.newContext({ reducedMotion: "reduce", ...options });
    // Longer than anything takes on a busy machine, and shorter than a test may.
    context.setDefaultTimeout(20_000);
    return new Visit(context, await context.newPage());
  }

  /** Names problems that the test provokes. The visit fails when one of them does not occur. */
  expectProblems(...patterns: readonly RegExp[]): void {
    this.#expected.push(...patterns);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
    const unforeseen = this.#problems.filter((text) => !this.#expected.some((pattern) => pattern.test(text)));
    const absent = this.#expected.filter((pattern) => !this.#problems.some((text) => pattern.test(text)));
    if (unforeseen.length > 0) throw new Error(`Problems in the page:\n${unforeseen.join("\n")}`);
    if (absent.length > 0) throw new Error(`Did not occur in the page: ${absent.join(", ")}`);
  }
}
