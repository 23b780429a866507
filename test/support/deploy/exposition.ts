// What a scrape shows: the metrics by name, and the values that their labels had.

export interface Exposed {
  /** Names of the metrics as they are documented: a histogram has one. */
  readonly metrics: ReadonlySet<string>;
  /** Label values by label by name of the series: a histogram has three. */
  readonly series: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;
}

export function parseExposition(text: string): Exposed {
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
