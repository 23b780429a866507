// The mail that tells an operator what others have assigned to them. Names no person who wrote to the team.
import { html } from "@submissions/shared/html";
import type { Assignment } from "../../storage/records.ts";
import { bulletList, button, layout, link, textOf, type Written } from "./layout.ts";
import { plurals } from "./notice.ts";

const listedMax = 50;
const why =
  "You get this mail because your account of the console is mailed of assignments. Its settings turn that off.";

export function writeAssignment(
  { email, assigned }: Assignment,
  { brand, publicUrl }: { readonly brand: string; readonly publicUrl: string },
): Written {
  const consoleUrl = `${publicUrl}/console`;
  const all = Object.entries(assigned).map(([reference, name]) => ({
    reference,
    by: `assigned by ${name}`,
    url: `${consoleUrl}/${plurals[reference.startsWith("INQ-") ? "inquiry" : "application"]}/${reference}`,
  }));
  const [first] = all;
  const subject =
    all.length === 1 ? `${first?.reference} is assigned to you` : `${all.length} submissions are assigned to you`;
  const listed = all.slice(0, listedMax);
  const more = all.length > listedMax ? `And ${all.length - listedMax} more.` : null;
  const yours = `${consoleUrl}?assignee=${encodeURIComponent(email)}`;
  return {
    subject,
    text: textOf(
      `${subject}.`,
      listed.map(({ reference, by, url }) => `  - ${reference}, ${by}: ${url}`),
      more,
      `All that is assigned to you: ${yours}`,
      brand,
      ["--", why],
    ),
    html: layout({
      language: "en",
      subject,
      brand,
      heading: subject,
      preheader: subject,
      body: html`${bulletList(listed.map(({ reference, by, url }) => html`${link(url, reference)}, ${by}`))}${more}${button(
        yours,
        "Open your list",
        "Or open this address:",
      )}`,
      footer: why,
    }).text,
  };
}
