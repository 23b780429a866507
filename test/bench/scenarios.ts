// What the bench measures: which programs, which requests, how many clients, which engine and disk.
import type { EntrantName } from "./entrants.ts";
import type { RequestKind } from "./load/requests.ts";

export type Engine = "SQLite" | "PostgreSQL";

interface Entry {
  readonly entrant: EntrantName;
  readonly request: RequestKind;
}

export interface Scenario {
  /** What `npm run bench -- NAME` calls it. */
  readonly name: string;
  /** What is done. */
  readonly title: string;
  readonly engine: Engine;
  /** Added to every sync, in µs. */
  readonly syncDelayMicros: number;
  readonly clients: readonly number[];
  /** The first is what the others are compared with. */
  readonly entries: readonly [Entry, ...Entry[]];
}

const entry = (entrant: EntrantName, request: RequestKind): Entry => ({ entrant, request });

const asItIs = { syncDelayMicros: 0 };
const slow = { syncDelayMicros: 1_000 };

const inquiries = [
  entry("by hand", "inquiry"),
  entry("hono", "inquiry"),
  entry("stock", "inquiry"),
  entry("stock", "typed inquiry"),
  entry("service", "inquiry"),
  entry("service", "typed inquiry"),
] as const;

/** Beside one transaction a submission. */
const commits = [
  entry("by hand", "inquiry"),
  entry("by hand, single", "inquiry"),
  entry("service", "inquiry"),
] as const;

const batch = (size: 10 | 50): Scenario => ({
  ...asItIs,
  name: `batch-${size}`,
  title: `inquiries in batches of ${size}`,
  engine: "SQLite",
  clients: [64],
  entries: [entry("stock", `batch of ${size}`), entry("service", `batch of ${size}`)],
});

const upload = (size: 1 | 5): Scenario => ({
  ...asItIs,
  name: `upload-${size}mb`,
  title: `application with a resume of ${size} MB`,
  engine: "SQLite",
  clients: [16],
  entries: [
    entry("by hand", `upload of ${size} MB`),
    entry("hono", `upload of ${size} MB`),
    entry("stock", `typed upload of ${size} MB`),
    entry("service", `upload of ${size} MB`),
  ],
});

export const scenarios: readonly Scenario[] = [
  { ...asItIs, name: "inquiry", title: "inquiry", engine: "SQLite", clients: [1, 64, 256], entries: inquiries },
  {
    ...slow,
    name: "slow-disk",
    title: "inquiry, 1 ms added to each sync",
    engine: "SQLite",
    clients: [1, 64, 256],
    entries: commits,
  },
  batch(10),
  batch(50),
  {
    ...asItIs,
    name: "subscription",
    title: "subscription",
    engine: "SQLite",
    clients: [64],
    entries: [
      entry("by hand", "subscription"),
      entry("hono", "subscription"),
      entry("stock", "subscription"),
      entry("service", "subscription"),
    ],
  },
  upload(1),
  upload(5),
  {
    ...asItIs,
    name: "refusal",
    title: "refusal of a wrong address",
    engine: "SQLite",
    clients: [64],
    entries: [
      entry("by hand", "refusal"),
      entry("hono", "refusal"),
      entry("stock", "refusal"),
      entry("service", "refusal"),
      entry("service", "inquiry"),
    ],
  },
  {
    ...asItIs,
    name: "mixed",
    title: "14 inquiries, 3 subscriptions, 2 refusals, 1 upload of 1 MB",
    engine: "SQLite",
    clients: [64],
    entries: [entry("by hand", "mixed"), entry("hono", "mixed"), entry("service", "mixed")],
  },
  {
    ...asItIs,
    name: "postgres",
    title: "inquiry",
    engine: "PostgreSQL",
    clients: [1, 64, 256],
    entries: [
      entry("by hand", "inquiry"),
      entry("stock", "inquiry"),
      entry("service", "inquiry"),
      entry("service", "typed inquiry"),
    ],
  },
  {
    ...slow,
    name: "postgres-slow-disk",
    title: "inquiry, 1 ms added to each sync",
    engine: "PostgreSQL",
    clients: [64, 256],
    entries: commits,
  },
  {
    ...asItIs,
    name: "postgres-mixed",
    title: "14 inquiries, 3 subscriptions, 2 refusals, 1 upload of 1 MB",
    engine: "PostgreSQL",
    clients: [64],
    entries: [entry("by hand", "mixed"), entry("service", "mixed")],
  },
];
