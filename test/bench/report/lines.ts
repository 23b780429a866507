// Lines over two logarithmic axes, as a picture.
import { colourOf, drawingTop, legend, picture, round, text, width } from "./svg.ts";

export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

interface LineOptions {
  readonly title: string;
  readonly note: string;
  readonly xName: (x: number) => string;
  readonly yName: (y: number) => string;
}

export function drawLines({ title, note, xName, yName }: LineOptions, lines: readonly Line[]): string {
  const [top, bottom, from, to] = [drawingTop, drawingTop + 280, 70, width - 50];
  const all = lines.flatMap(({ points }) => points).filter(([, y]) => y > 0);
  const xs = [...new Set(all.map(([x]) => x))].toSorted((a, b) => a - b);
  const powers = powersAround(all.map(([, y]) => y));
  const [lowest = 1, highest = 10] = [powers[0], powers.at(-1)];
  const place = (value: number, least: number, most: number) => Math.log(value / least) / Math.log(most / least);
  const xOf = (x: number) => from + place(x, xs[0] ?? 1, xs.at(-1) ?? 10) * (to - from);
  const yOf = (y: number) => bottom - place(y, lowest, highest) * (bottom - top);
  const grid = powers.map(
    (power) =>
      `<path class="axis" d="M${from} ${round(yOf(power))}H${to}"/>${text(from - 8, yOf(power) + 4, yName(power), 'text-anchor="end" class="small"')}`,
  );
  const marks = xs.map((x) => text(xOf(x), bottom + 20, xName(x), 'text-anchor="middle" class="small"'));
  const curves = lines.map(({ points }, position) => {
    const shown = points.filter(([, y]) => y > 0);
    const path = shown.map(([x, y], index) => `${index === 0 ? "M" : "L"}${round(xOf(x))} ${round(yOf(y))}`).join("");
    const dots = shown.map(([x, y]) => `<circle cx="${round(xOf(x))}" cy="${round(yOf(y))}" r="3.5"/>`).join("");
    return `<g stroke="${colourOf(position)}" fill="${colourOf(position)}" stroke-width="2"><path d="${path}" fill="none"/>${dots}</g>`;
  });
  const names = legend(lines.map(({ name }) => name));
  return picture(
    title,
    bottom + 56,
    names + [...grid, ...marks, ...curves].join("") + text(16, bottom + 44, note, 'class="small"'),
  );
}

/** The powers of ten that hold the values between them. */
function powersAround(values: readonly number[]): readonly number[] {
  const lowest = Math.floor(Math.log10(Math.min(...values)));
  const highest = Math.max(Math.ceil(Math.log10(Math.max(...values))), lowest + 1);
  return Array.from({ length: highest - lowest + 1 }, (_, position) => 10 ** (lowest + position));
}
