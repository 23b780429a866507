// Charts drawn as SVG. Each has its numbers as a table, so nothing is told by a drawing alone.
import { useEffect, useId, useRef, useState } from "react";
import { count, dayWord } from "../words.ts";

interface Props {
  /** What is shown, for screen readers: the drawing's name and the table's caption. */
  readonly title: string;
  readonly days: readonly string[];
  readonly series: readonly { readonly name: string; readonly className: string; readonly values: readonly number[] }[];
  /** One series as a line with the area below it. Otherwise stacked bars, one a day. */
  readonly isLine?: boolean;
}

const height = 200;
const left = 36;
const bottom = 22;
const top = 8;
const plotHeight = height - bottom - top;

/** The lines across: at round numbers, up to the first one at or above the largest value. */
function linesUpTo(largest: number): readonly number[] {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(largest)) - 1);
  const step = [1, 2, 5, 10, 20, 50].map((unit) => unit * power).find((one) => one * 5 >= largest) ?? largest;
  return Array.from({ length: Math.ceil(largest / step) + 1 }, (_, index) => index * step);
}

/** A value for each day. Its axes fit the largest one, and the numbers stand below it as a table. */
export function DayChart({ title, days, series, isLine = false }: Props) {
  const id = useId();
  const figure = useRef<HTMLElement>(null);
  // As wide as it is on the page, so that its text keeps its size.
  const [width, setWidth] = useState(720);
  useEffect(() => {
    if (figure.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      const drawn = Math.round(entry?.contentRect.width ?? 0);
      // A page that is not shown has no width, and bars cannot be narrower than nothing.
      if (drawn > left) setWidth(drawn);
    });
    observer.observe(figure.current);
    return () => observer.disconnect();
  }, []);
  const sums = days.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const lines = linesUpTo(Math.max(1, ...sums));
  const most = lines.at(-1) ?? 1;
  const yOf = (value: number) => top + plotHeight * (1 - value / most);
  const slot = (width - left) / Math.max(1, days.length);
  /** The middle of a bar. A line goes from edge to edge. */
  const xOf = (index: number) =>
    isLine ? left + ((width - left - 4) * index) / Math.max(1, days.length - 1) : left + slot * (index + 0.5);
  const barWidth = Math.min(slot * 0.7, 28);
  const line = `M${sums.map((sum, index) => `${xOf(index).toFixed(1)} ${yOf(sum).toFixed(1)}`).join("L")}`;
  const every = Math.max(1, Math.ceil((days.length * 80) / width));
  return (
    <figure className="chart" ref={figure}>
      {series.length > 1 && (
        <figcaption className="legend" aria-hidden="true">
          {series.map(({ name, className }) => (
            <span key={name}>
              <i className={className} />
              {name}
            </span>
          ))}
        </figcaption>
      )}
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-labelledby={id}>
        <title id={id}>{title}</title>
        <g className="axes">
          {lines.map((value) => (
            <g key={value}>
              <line x1={left} x2={width} y1={yOf(value)} y2={yOf(value)} />
              <text x={left - 8} y={yOf(value) + 4} textAnchor="end">
                {count(value)}
              </text>
            </g>
          ))}
          {days.map((day, index) => {
            const behind = days.length - 1 - index;
            return behind % every === 0 ? (
              <text key={day} x={xOf(index)} y={height - 4} textAnchor={behind === 0 ? "end" : "middle"}>
                {dayWord(day)}
              </text>
            ) : null;
          })}
        </g>
        {isLine ? (
          <>
            <path className={`area ${series[0]?.className}`} d={`${line}V${yOf(0)}H${xOf(0)}Z`} />
            <path className={`line ${series[0]?.className}`} d={line} />
          </>
        ) : (
          days.map((day, index) => {
            let below = 0;
            const told = series.map(({ name, values }) => `${name.toLowerCase()}: ${count(values[index] ?? 0)}`);
            return (
              <g key={day} className="bar-group">
                <title>{`${dayWord(day)}: ${told.join(", ")}`}</title>
                <rect className="hit" x={xOf(index) - slot / 2} y={top} width={slot} height={plotHeight} />
                {series.map(({ name, className, values }) => {
                  const from = below;
                  below += values[index] ?? 0;
                  const y = yOf(below);
                  const bar = { x: xOf(index) - barWidth / 2, y, width: barWidth, height: yOf(from) - y };
                  return below === from ? null : <rect key={name} className={className} {...bar} rx="2" />;
                })}
              </g>
            );
          })
        )}
      </svg>
      <details>
        <summary>Show as a table</summary>
        <div className="scroll" tabIndex={0} role="region" aria-label={`${title}, table`}>
          <table className="numbers">
            <caption className="unseen">{title}</caption>
            <thead>
              <tr>
                <th scope="col">Day (UTC)</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.map((day, index) => (
                <tr key={day}>
                  <th scope="row">{dayWord(day)}</th>
                  {series.map(({ name, values }) => (
                    <td key={name}>{count(values[index] ?? 0)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
