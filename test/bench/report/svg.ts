// The parts of pictures in SVG, with colours for light and dark pages. Knows nothing of the bench.

export const width = 760;
/** Below title and legend. */
export const drawingTop = 96;

/** Legible on both backgrounds; the first is the one to look at. */
const colours = ["#2563eb", "#60a5fa", "#b45309", "#0d9488", "#a855f7", "#dc2626", "#65a30d"];

const style = `<style>
text{font:13px system-ui,sans-serif;fill:#1f2937}.title{font-weight:600;font-size:15px}.small{font-size:11px;fill:#6b7280}
.axis{stroke:#d1d5db;fill:none}.page{fill:#fff}
@media (prefers-color-scheme:dark){text{fill:#e5e7eb}.small{fill:#9ca3af}.axis{stroke:#374151}.page{fill:#0d1117}}
</style>`;

const escape = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
export const text = (x: number, y: number, words: string, attributes = "") =>
  `<text x="${round(x)}" y="${round(y)}" ${attributes}>${escape(words)}</text>`;
export const round = (figure: number) => Math.round(figure * 10) / 10;

export function picture(title: string, height: number, body: string): string {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">` +
    `${style}<rect class="page" width="${width}" height="${height}" rx="8"/>${text(16, 28, title, 'class="title"')}${body}</svg>\n`
  );
}

/** The names of what is drawn, in two lines below the title. */
export function legend(names: readonly string[]): string {
  let [x, y] = [16, 52];
  const entries = names.map((name, position) => {
    const length = 34 + name.length * 7;
    if (x + length > width) [x, y] = [16, y + 20];
    const entry = `<rect x="${x}" y="${y - 10}" width="11" height="11" rx="2" fill="${colourOf(position)}"/>${text(x + 16, y, name)}`;
    x += length;
    return entry;
  });
  return entries.join("");
}

export const colourOf = (position: number) => colours[position % colours.length] ?? "";
