// Reads PromQL with Prometheus's own grammar: which series an expression asks for, and by which labels.
import { parser } from "@prometheus-io/lezer-promql";

interface Selected {
  readonly name: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

export interface Query {
  readonly selected: readonly Selected[];
  /** Labels that are grouped or matched by. */
  readonly groupings: readonly string[];
}

export function parsePromql(expression: string): Query {
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
