// Processes are replaced one after the other behind a balancer, under load, and no client notices.
import { Agent, request } from "node:http";
import { json as readJson } from "node:stream/consumers";
import { expect } from "vitest";
import { addresses } from "../../support/doors.ts";
import { nightly } from "../../support/many-or-few.ts";
import { until } from "../../support/service-process.ts";
import { Balancer } from "../../support/processes/balancer.ts";
import { endByItself, openSeveral } from "../../support/processes/several.ts";

/** A client that sends one inquiry after the other and repeats none of them. */
class Client {
  readonly references: string[] = [];
  readonly failures: string[] = [];
  readonly #agent: Agent;
  readonly #running: Promise<void>;
  #stopping = false;

  constructor(url: string, name: string, keepAlive: boolean) {
    this.#agent = new Agent({ keepAlive });
    this.#running = this.#run(url, name);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
    this.#agent.destroy();
  }

  async #run(url: string, name: string): Promise<void> {
    for (let n = 0; !this.#stopping; n += 1) {
      const body = { name: "Ann Buyer", email: `${name}-${n}@example.org`, selectedPackageIds: ["en-GB-scottish"] };
      await this.#submit(url, JSON.stringify(body)).then(
        (reference) => this.references.push(reference),
        (error: Error) => this.failures.push(error.message),
      );
    }
  }

  #submit(url: string, body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const asking = request(url + addresses["marketplace.inquiry"], { method: "POST", agent: this.#agent, headers });
      asking.once("error", reject).once("response", (response) => {
        if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`));
        readJson(response).then((receipt) => resolve((receipt as { inquiryId: string }).inquiryId), reject);
      });
      asking.end(body);
    });
  }
}

// At night: it starts four processes, and again if the balancer was held up.
nightly("two processes are replaced one after the other, and all requests of clients succeed", async () => {
  // A balancer that is held up until a process has ended cannot have heard its notice, and shows nothing.
  while (!(await areReplacedUnnoticed()));
});

/** Answers whether the balancer could hear of every end before it came. */
async function areReplacedUnnoticed(): Promise<boolean> {
  await using several = await openSeveral();
  await using balancer = await Balancer.open();
  const services = await several.start({}, {});
  for (const { url } of services) balancer.add(url);
  await until(() => services.every(({ url }) => balancer.sendsTo(url)));

  const clients = Array.from({ length: 8 }, (_, n) => new Client(balancer.url, `client${n}`, n % 2 === 0));
  const done = () => clients.reduce((sum, { references, failures }) => sum + references.length + failures.length, 0);
  const more = (count: number, enough = done() + count) => until(() => done() >= enough);
  for (const service of services) {
    await more(40);
    expect(await endByItself(service)).toBe(0);
    await more(40);
    const [replacement] = await several.start({});
    balancer.add(replacement!.url);
    await until(() => balancer.sendsTo(replacement!.url));
  }
  await more(40);
  await Promise.all(clients.map((client) => client.stop()));
  if (balancer.wasLate) return false;

  expect(balancer.failures).toEqual([]);
  expect(clients.flatMap(({ failures }) => failures)).toEqual([]);
  const told = clients.flatMap(({ references }) => references);
  const { inquiries } = await several.site.contents();
  expect(inquiries.map(({ reference }) => reference).toSorted()).toEqual(told.toSorted());
  expect(told.length).toBeGreaterThan(0);
  return true;
}
