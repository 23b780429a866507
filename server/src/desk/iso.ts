// ISO 8601 in UTC, as `Date.prototype.toISOString` writes it, in a fifth of the time: the records of an export come in the
// order of time, so that the day is mostly that of the record before.

const dayMs = 86_400_000;
const hours = padded(24, 2);
const sixty = padded(60, 2);
const milliseconds = padded(1_000, 3);

function padded(count: number, digits: number): readonly string[] {
  return Array.from({ length: count }, (_, number) => String(number).padStart(digits, "0"));
}

let lastDay = { begin: Number.NaN, text: "" };

/**
 * `2026-11-21T09:30:00.000Z`.
 *
 * @param epochMs milliseconds since the epoch, of which whole ones are written
 * @throws RangeError for a day that `Date` cannot hold
 */
export function iso(epochMs: number): string {
  const instant = Math.trunc(epochMs);
  const begin = Math.floor(instant / dayMs) * dayMs;
  if (begin !== lastDay.begin) lastDay = { begin, text: dayOf(instant) };
  const rest = instant - begin;
  const seconds = Math.trunc(rest / 1_000);
  const minutes = Math.trunc(seconds / 60);
  const time = `${hours[Math.trunc(minutes / 60)]}:${sixty[minutes % 60]}:${sixty[seconds % 60]}`;
  return `${lastDay.text}T${time}.${milliseconds[rest % 1_000]}Z`;
}

function dayOf(epochMs: number): string {
  const text = new Date(epochMs).toISOString();
  return text.slice(0, text.indexOf("T"));
}
