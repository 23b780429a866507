// Horizontal bars in groups, as a picture.
import { colourOf, drawingTop, legend, picture, round, text, width } from "./svg.ts";

export interface BarGroup {
  readonly label: string;
  readonly bars: readonly Bar[];
}

export interface Bar {
  readonly series: string;
  readonly value: number;
  /** Written behind the bar. */
  readonly text: string;
}

const left = 190;
const right = 120;
const barHeight = 16;
const gap = 14;

/** Horizontal bars in groups; every group has a scale of its own. */
export function drawBars(title: string, note: string, groups: readonly BarGroup[]): string {
  const series = [...new Set(groups.flatMap(({ bars }) => bars.map((bar) => bar.series)))];
  let y = drawingTop;
  const body = groups.map(({ label, bars }) => {
    const most = Math.max(...bars.map(({ value }) => value));
    const drawn = bars.map((bar, position) => {
      const top = y + position * (barHeight + 3);
      const length = Math.max(1, (bar.value / most) * (width - left - right));
      const fill = colourOf(series.indexOf(bar.series));
      return `<rect x="${left}" y="${top}" width="${round(length)}" height="${barHeight}" rx="2" fill="${fill}"/>${text(left + length + 6, top + 12.5, bar.text)}`;
    });
    const height = bars.length * (barHeight + 3);
    const heading = text(left - 10, y + height / 2 + 3, label, 'text-anchor="end"');
    y += height + gap;
    return heading + drawn.join("");
  });
  return picture(title, y + 20, legend(series) + body.join("") + text(16, y + 6, note, 'class="small"'));
}
