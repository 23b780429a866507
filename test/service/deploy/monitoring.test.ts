// The dashboard and the alerts ask for what the service really shows, and the documentation describes both.
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { parser } from "@prometheus-io/lezer-promql";
import { ClamdStandIn } from "../../support/clamd-stand-in.ts";
import { Operator, operator, submitAll } from "../../support/console/operator.ts";
import { json, rest } from "../../support/doors.ts";
import { runCommand } from "../../support/desk/run-command.ts";
import { openFolder } from "../../support/folder.ts";
import { atNight } from "../../support/many-or-few.ts";
import { PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { startService } from "../../support/service.ts";
import { filesOf, read, readYaml, root, type Document } from "../../support/deploy/read-deploy.ts";

const duration = z.string().regex(/^\d+[smhd]$/);
const rulesFile = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^[A-Z][A-Za-z]+$/),
          expr: z.string(),
          for: duration.optional(),
          labels: z.strictObject({ severity: z.enum(["critical", "warning"]) }),
          annotations: z.strictObject({ summary: z.string().min(1), runbook: z.string() }),
        }),
      ),
    }),
  ),
});

const rules = filesOf("prometheus/alerts*.yaml")
  .flatMap((file) => readYaml(file))
  .flatMap((document) => rulesFile.parse(document).groups)
  .flatMap((group) => group.rules);

const panels = filesOf("grafana/*.json").flatMap((file): Document[] => JSON.parse(read(file)).panels);
const queries = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }: Document) => ({ of: title as string, expr: expr as string })),
);
const conditions = rules.map(({ alert, expr }) => ({ of: alert, expr }));

let exposed: Exposed;
beforeAll(async () => {
  exposed = parseExposition(await scrapeAfterTraffic());
});

/** Has a service do everything that is counted, and reads its metrics. */
async function scrapeAfterTraffic(): Promise<string> {
  await using postmark = await PostmarkStandIn.open();
  postmark.refuse("nobody@example.org", 406);
  const credentials = "hook:correct:horse:battery:staple";
  await using scanner = await ClamdStandIn.open();
  const env = { ...postmark.env, POSTMARK_WEBHOOK_AUTH: credentials, CLAMD_ADDRESS: scanner.address };
  await using service = await startService({ env });
  await submitAll(service);
  const buyer = { name: "Ann", email: "nobody@example.org", selectedPackageIds: ["de-AT"] };
  for (const more of [{}, { website: "filled" }, { email: "no address" }])
    await rest.send(service, "marketplace.inquiry", json({ ...buyer, ...more }));
  const complaint = { RecordType: "SpamComplaint", Email: "cross@example.org", BouncedAt: "2026-11-01T12:00:00Z" };
  const authorization = `Basic ${btoa(credentials)}`;
  await fetch(`${service.url}/webhooks/postmark`, { method: "POST", ...json(complaint, { authorization }) });
  await operator(service, "admin@example.org", "admin");
  await new Operator(service).signIn("admin@example.org", "not the password");
  await using folder = await openFolder();
  expect(await runCommand(["backup", folder.path], service.sameData)).toMatchObject({ code: 0 });
  let text = "";
  const settled = async () => {
    text = await (await fetch(`${service.url}/metrics`)).text();
    return ['result="taken"', 'result="refused"', "scanner_ready 1"].every((part) => text.includes(part));
  };
  await vi.waitUntil(settled, { timeout: 30_000 });
  return text;
}

// Prometheus gives them to every series.
const ofPrometheus = new Set(["job", "instance"]);

test("expressions were found", () => {
  expect(queries.length).toBeGreaterThan(20);
  expect(rules.length).toBeGreaterThan(10);
});

test.each([...queries, ...conditions])("$of asks for what the service shows: $expr", ({ expr }) => {
  const { selected, groupings } = parsePromql(expr);
  expect(selected.length).toBeGreaterThan(0);
  for (const { name, matchers } of selected.filter((one) => one.name !== "up")) {
    expect([...exposed.series.keys()]).toContain(name);
    const labels = exposed.series.get(name);
    for (const { label, operator: matching, value } of matchers) {
      if (ofPrometheus.has(label)) continue;
      expect([...(labels?.keys() ?? [])], `labels of ${name}`).toContain(label);
      const values = matching === "=~" ? value.split("|") : [value];
      expect([...(labels?.get(label) ?? [])], `${label} of ${name}`).toEqual(expect.arrayContaining(values));
    }
  }
  const known = new Set(selected.flatMap(({ name }) => [...(exposed.series.get(name)?.keys() ?? []), ...ofPrometheus]));
  expect(groupings.filter((label) => !known.has(label))).toEqual([]);
});

const operations = read("docs/operations.md");

describe("docs/operations.md", () => {
  test("describes every metric with its labels, and no other", () => {
    const names = "`[a-z_]+`(?:, `[a-z_]+`)*";
    const rows = [...operations.matchAll(new RegExp(`^- (${names})(?: by (${names}))?: `, "gm"))];
    const words = (cell = "") => [...cell.matchAll(/`([a-z_]+)`/g)].map(([, word = ""]) => word);
    const documented = new Map(rows.flatMap(([, of, labels]) => words(of).map((name) => [name, words(labels)])));
    const own = [...exposed.metrics].filter((name) => !/^(?:process|nodejs)_/.test(name));
    const shown = new Map(
      own.map((name) => {
        const labels = exposed.series.get(name) ?? exposed.series.get(`${name}_bucket`);
        return [name, [...(labels?.keys() ?? [])].filter((label) => label !== "le")];
      }),
    );
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(shown));
  });

  test("says of every alert what it means and what to do, and of no other", () => {
    const [, runbook = ""] = operations.split(/^## Alerts$/m);
    const headings = [...(runbook.split(/^## /m)[0] ?? "").matchAll(/^### (\S+)$/gm)].map(([, name = ""]) => name);
    expect(headings).toEqual(rules.map(({ alert }) => alert));
    for (const { alert, annotations } of rules)
      expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`);
  });
});

const promtoolFile = "test/support/deploy/alerts.promtool.yaml";

test("the cases for promtool name the rules that are deployed", () => {
  const [cases] = readYaml(promtoolFile) as [{ readonly rule_files: readonly string[] }];
  const named = cases.rule_files.map((file) => join(promtoolFile, "..", file));
  expect(named).toEqual(filesOf("prometheus/alerts*.yaml"));
});

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;
const promtool = (...words: string[]) => execFileSync("promtool", words, { cwd: `${root}/deploy/prometheus` });

test.runIf(hasPromtool)("promtool takes the configuration with its rules", () => {
  promtool("check", "config", "prometheus.yaml");
});

test.runIf(atNight && hasPromtool)("the alerts fire as they should in promtool's cases", () => {
  promtool("test", "rules", `${root}/${promtoolFile}`);
});

interface Exposed {
  /** Names of the metrics as they are documented: a histogram has one. */
  readonly metrics: ReadonlySet<string>;
  /** Label values by label by name of the series: a histogram has three. */
  readonly series: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;
}

function parseExposition(text: string): Exposed {
  const metrics = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name));
  const series = new Map<string, Map<string, Set<string>>>();
  for (const [, name = "", labels = ""] of text.matchAll(/^([a-z_][a-z0-9_]*)(?:\{(.*)\})? \S+$/gim)) {
    const known = series.get(name) ?? new Map<string, Set<string>>();
    series.set(name, known);
    for (const [, label = "", value = ""] of labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)) {
      known.set(label, (known.get(label) ?? new Set()).add(value));
    }
  }
  return { metrics, series };
}

interface Selected {
  readonly name: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

interface Query {
  readonly selected: readonly Selected[];
  /** Labels that are grouped or matched by. */
  readonly groupings: readonly string[];
}

function parsePromql(expression: string): Query {
  // Grafana puts a duration here.
  const text = expression.replaceAll("$__rate_interval", "5m");
  const tree = parser.parse(text);
  const selected: { name: string; matchers: { label: string; operator: string; value: string }[] }[] = [];
  const groupings: string[] = [];
  tree.iterate({
    enter({ name, type, from, to, node }) {
      const of = (child: string) => {
        const found = node.getChild(child);
        return found === null ? "" : text.slice(found.from, found.to);
      };
      if (type.isError) throw new Error(`No PromQL at ${from}: ${text}`);
      if (name === "VectorSelector") selected.push({ name: of("Identifier"), matchers: [] });
      if (name === "UnquotedLabelMatcher")
        selected
          .at(-1)
          ?.matchers.push({ label: of("LabelName"), operator: of("MatchOp"), value: of("StringLiteral").slice(1, -1) });
      if (name === "LabelName" && node.parent?.name === "GroupingLabels") groupings.push(text.slice(from, to));
    },
  });
  return { selected, groupings };
}
