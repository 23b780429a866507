// Charts drawn as SVG. Each has its numbers as a table, so nothing is told by a drawing alone.
import { useEffect, useId, useRef, useState, type ReactNode, type RefObject } from "react";
import { count, dayWord } from "../words.ts";

interface Series {
  readonly name: string;
  readonly className: string;
  readonly values: readonly number[];
}

interface Props {
  /** What is shown, for screen readers: the drawing's name and the table's caption. */
  readonly title: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
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

const yOf = (value: number, most: number) => top + plotHeight * (1 - value / most);

/** The width that the drawing has on the page, so that its text keeps its size. */
function useWidth(): readonly [RefObject<HTMLElement | null>, number] {
  const figure = useRef<HTMLElement>(null);
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
  return [figure, width];
}

interface AxesProps {
  readonly days: readonly string[];
  readonly lines: readonly number[];
  readonly width: number;
  readonly xOf: (index: number) => number;
}

function Axes({ days, lines, width, xOf }: AxesProps) {
  const every = Math.max(1, Math.ceil((days.length * 80) / width));
  const most = lines.at(-1) ?? 1;
  return (
    <g className="axes">
      {lines.map((value) => {
        const y = yOf(value, most);
        return (
          <g key={value}>
            <line x1={left} x2={width} y1={y} y2={y} />
            <text x={left - 8} y={y + 4} textAnchor="end">
              {count(value)}
            </text>
          </g>
        );
      })}
      {days.map((day, index) =>
        (days.length - 1 - index) % every === 0 ? (
          <text key={day} x={xOf(index)} y={height - 4} textAnchor={index === days.length - 1 ? "end" : "middle"}>
            {dayWord(day)}
          </text>
        ) : null,
      )}
    </g>
  );
}

/** Stacked bars, one a day. */
export function DayBars({ title, days, series }: Props) {
  const sums = days.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const [figure, width] = useWidth();
  const lines = linesUpTo(Math.max(1, ...sums));
  const most = lines.at(-1) ?? 1;
  const slot = (width - left) / Math.max(1, days.length);
  const barWidth = Math.min(slot * 0.7, 28);
  const xOf = (index: number) => left + slot * (index + 0.5);
  return (
    <Figure title={title} days={days} series={series} figure={figure} width={width}>
      <Axes days={days} lines={lines} width={width} xOf={xOf} />
      {days.map((day, index) => {
        let below = 0;
        const told = series.map(({ name, values }) => `${name.toLowerCase()}: ${count(values[index] ?? 0)}`).join(", ");
        return (
          <g key={day} className="bar-group">
            <title>{`${dayWord(day)}: ${told}`}</title>
            <rect className="hit" x={xOf(index) - slot / 2} y={top} width={slot} height={plotHeight} />
            {series.map(({ name, className, values }) => {
              const value = values[index] ?? 0;
              if (value === 0) return null;
              const y = yOf(below + value, most);
              const barHeight = yOf(below, most) - y;
              below += value;
              return (
                <rect
                  key={name}
                  className={className}
                  x={xOf(index) - barWidth / 2}
                  y={y}
                  width={barWidth}
                  height={barHeight}
                  rx="2"
                />
              );
            })}
          </g>
        );
      })}
    </Figure>
  );
}

/** A line with the area below it. */
export function DayLine({ title, days, series }: Props) {
  const values = series[0]?.values ?? [];
  const [figure, width] = useWidth();
  const lines = linesUpTo(Math.max(1, ...values));
  const most = lines.at(-1) ?? 1;
  const xOf = (index: number) => left + ((width - left - 4) * index) / Math.max(1, days.length - 1);
  const line = values
    .map((value, index) => `${index === 0 ? "M" : "L"}${xOf(index).toFixed(1)} ${yOf(value, most).toFixed(1)}`)
    .join("");
  const floor = yOf(0, most);
  return (
    <Figure title={title} days={days} series={series} figure={figure} width={width}>
      <Axes days={days} lines={lines} width={width} xOf={xOf} />
      <path
        className={`area ${series[0]?.className ?? ""}`}
        d={`${line}L${xOf(values.length - 1)} ${floor}L${xOf(0)} ${floor}Z`}
      />
      <path className={`line ${series[0]?.className ?? ""}`} d={line} />
    </Figure>
  );
}

interface FigureProps extends Props {
  readonly figure: RefObject<HTMLElement | null>;
  readonly width: number;
  readonly children: ReactNode;
}

function Figure({ title, days, series, figure, width, children }: FigureProps) {
  const id = useId();
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
        {children}
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
