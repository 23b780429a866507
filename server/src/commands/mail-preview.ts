// `mail preview`: a mail as it would be sent, about made-up people, to look at before anybody gets one.
import { randomUUID } from "node:crypto";
import { exampleOf, fieldOfKind } from "@submissions/shared/field-table";
import { kindOf, submissionKinds } from "@submissions/shared/kinds";
import type { Language } from "@submissions/shared/language";
import { Argument, Option, type Command } from "commander";
import { publicUrl } from "../config/config.ts";
import { valuesOf } from "../field-values.ts";
import { mailSettingsOf } from "../mail-settings.ts";
import { compileMails } from "../mail/compose.ts";
import type { MailKind, MailSubject, StoredSubmission } from "../storage/records.ts";
import { configOf, type CommandDeps } from "./command.ts";
import { writeAll } from "./terminal.ts";

const kinds: readonly MailKind[] = [
  ...submissionKinds.flatMap((kind) => [`${kind}-receipt`, `${kind}-notice`, `${kind}-reply`] as const),
  "newsletter-welcome",
];

const examples = `
Examples:
  npm run --silent submissions -- mail preview inquiry-receipt --language de > receipt.html
  npm run --silent submissions -- mail preview newsletter-welcome --text
`;

export function registerMailPreview(mail: Command, deps: CommandDeps): void {
  mail
    .command("preview")
    .summary("write a mail as HTML, about made-up people")
    .description("Writes a mail with the words and settings in force, about made-up people. Sends and stores nothing.")
    .addArgument(new Argument("<kind>", "of mail").choices(kinds))
    .addOption(new Option("--language <language>", "of the form").default("en"))
    .option("--text", "the text part, with the subject above it")
    .addHelpText("after", examples)
    .action(async (kind: MailKind, { language, text }: { language: Language; text?: true }, command: Command) => {
      const config = configOf(deps);
      if (!config.languages.has(language))
        command.error(`error: no language ${language} is known: ${[...config.languages.keys()].join(", ")}`);
      const settings = {
        ...mailSettingsOf(config),
        publicUrl: () => publicUrl(config),
        receiptId: () => "<preview>",
        answerTo: null,
      };
      const confirms = config.newsletterOptIn === "double";
      const about = madeUp(kind, language, confirms, settings.packageTitles.keys());
      const content = compileMails(settings)({ kind, about });
      await writeAll([text ? `Subject: ${content.subject}\n\n${content.text}` : `${content.html}\n`], deps.output);
    });
}

function madeUp(kind: MailKind, language: Language, confirms: boolean, packages: Iterable<string>): MailSubject {
  const requestId = randomUUID();
  const about = submissionKinds.find((one) => kind.startsWith(`${one}-`));
  if (about === undefined) {
    const confirmToken = confirms ? "preview" : null;
    return { welcome: { email: "ann@example.org", requestId, language, confirmToken, unsubscribeToken: "preview" } };
  }
  const { fields, prefix, file } = kindOf(about);
  const [one = "en-GB-scottish", two = "de-AT"] = packages;
  const list = fieldOfKind(fields, "packages");
  const input = { ...exampleOf(fields), ...(list !== undefined && { [list]: [one, two] }) };
  const submission = {
    arrival: 1,
    kind: about,
    reference: `${prefix}-20261121-042137`,
    status: "new",
    assignee: null,
    version: 1,
    disposable: false,
    receivedAt: Date.now(),
    door: "rest",
    requestId,
    ...valuesOf(about, input as never),
    resume: file === null ? null : { key: "", filename: "resume.pdf", kind: "pdf", size: 480_000, sha256: "" },
    consent: null,
    more: null,
    tags: [],
    language,
  };
  const text =
    "Hello Ann,\n\nthank you. We can begin on Monday with:\n- Scottish English\n- Austrian German\n\nKind regards";
  const reply = { text, author: "Eva", quoted: true, followsReceipt: false, followsAnswer: null, files: [] };
  return { submission: submission as unknown as StoredSubmission, ...(kind.endsWith("-reply") && { reply }) };
}
