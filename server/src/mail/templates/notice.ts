// The frame of notices, which tell the team everything of a submission. Their button leads to the console, where the team
// works with it.
import { html, type Markup } from "@submissions/shared/html";
import { factList, factLines, type Fact, type NoticeFacts } from "./facts.ts";
import { frame } from "./frame.ts";
import { button, layout } from "./layout.ts";

const consoleWords = "Open in the console";

/** Makes the function that writes the HTML of a kind of notice. */
export function noticeFrame(
  heading: string,
  answer: string,
): (subject: string, preheader: string, facts: readonly Fact[], notice: NoticeFacts, letter?: Markup) => string {
  const fill = frame<"subject" | "brand" | "preheader" | "facts" | "consoleUrl" | "letter">((slot) =>
    layout({
      language: "en",
      subject: slot("subject"),
      brand: slot("brand"),
      heading,
      preheader: slot("preheader"),
      body: html`${slot("facts")}${button(slot("consoleUrl"), consoleWords, "Or open this address:")}${slot("letter")}`,
      footer: `${answer} All values above are as the sender typed them.`,
    }),
  );
  return (subject, preheader, facts, { brand, consoleUrl }, letter) =>
    fill({ subject, preheader, facts: factList(facts), brand, consoleUrl, letter }).text;
}

/** The text of a notice, as blocks of lines. */
export const noticeText = (
  facts: readonly Fact[],
  { consoleUrl }: NoticeFacts,
  answer: string,
): readonly (readonly string[])[] => [factLines(facts), [`${consoleWords}: ${consoleUrl}`, answer]];
