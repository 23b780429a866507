// `show`: one submission as the console shows it, for people who are at a terminal already.
import type { SubmissionDetail } from "@submissions/shared/console";
import { inReadingOrder, messageField } from "@submissions/shared/further-names";
import type { Command } from "commander";
import { titlesOf } from "../config/catalogue.ts";
import { submissionDetail } from "../desk/detail.ts";
import { kindAndSize, utcMinute, type FieldValue } from "../field-values.ts";
import { wholeScope } from "../storage/desk-store.ts";
import { openStore } from "../storage/open-store.ts";
import { CommandFailed, configOf, type CommandDeps, parseReference } from "./command.ts";
import { forTerminal, jsonText, painted, writeAll } from "./terminal.ts";

const examples = `
Examples:
  npm run submissions -- show INQ-20261121-042137
  npm run --silent submissions -- show APP-20261121-907715 --json | jq -r .fields.coverLetter
`;

export function registerShow(program: Command, deps: CommandDeps): void {
  program
    .command("show")
    .description("Shows one submission with its mails, notes, replies and answers.")
    .argument("<reference>", "INQ-… or APP-…", parseReference)
    .option("--json", "one JSON object")
    .addHelpText("after", examples)
    .action(async (reference: string, { json = false }: { json?: boolean }) => {
      const config = configOf(deps);
      await using store = await openStore(config.storage, { access: "read-only" });
      const found = await store.desk.findDetail(wholeScope, reference);
      if (found === null) throw new CommandFailed(`There is no submission ${reference}.`);
      const packageTitles = titlesOf(config.knownPackages);
      const detail = submissionDetail(found, { packageTitles, scanned: config.scanner !== null });
      await writeAll([json ? jsonText(detail) : pageOf(detail, deps)], deps.output);
    });
}

type Line = readonly [label: string, value: string];

function pageOf(detail: SubmissionDetail, { output }: CommandDeps): string {
  const { reference, status, stage, assignee, tags, receivedAt, fields, packageTitles, resume, mails } = detail;
  const further = Map.groupBy(inReadingOrder(detail.more), ([name]) => name === messageField);
  const lines: Line[] = [
    ["status", assignee === null ? status : `${status}, assigned to ${assignee}`],
    ...(stage === null ? [] : [["stage", stage] as const]),
    ...tags.map((tag): Line => ["tag", tag]),
    ["received", utcMinute(receivedAt)],
    ...(further.get(true) ?? []),
    ...Object.entries(fields).flatMap(([name, value]) => linesOf(name, value, packageTitles)),
    ...(further.get(false) ?? []),
    ...(resume === null ? [] : [["resume", `${resume.filename} (${kindAndSize(resume)})`] as const]),
    ...mails.map(({ kind, status: state, createdAt, lastError }): Line => {
      const why = lastError === null ? "" : `, ${lastError}`;
      return ["mail", `${utcMinute(createdAt)}  ${kind}, ${state}${why}`];
    }),
    ...writtenTo(detail),
  ];
  const width = Math.max(...lines.map(([label]) => label.length));
  // What strangers and operators typed keeps its lines, behind the label, so that none of them can pass for ours.
  const indent = `\n${" ".repeat(width + 2)}`;
  const rows = lines.map(([label, value]) => {
    const shown = value.split("\n").map(forTerminal).join(indent);
    return `${painted("cyan", label, output)}${" ".repeat(width - label.length + 2)}${shown}\n`;
  });
  return `${painted("bold", reference, output)}\n${rows.join("")}`;
}

/** What was written since, in the order of time. */
function writtenTo({ notes, replies, answers }: SubmissionDetail): Line[] {
  const written = [
    ...notes.map((note) => ({ ...note, label: "note" })),
    ...replies.map((reply) => ({ ...reply, label: "reply" })),
    ...answers.map(({ at, senderAddress, sender, reply, text }) => {
      return { label: "answer", at, author: `${senderAddress} (${sender})`, text: reply ?? text };
    }),
  ];
  const inOrder = written.toSorted((one, other) => one.at - other.at);
  return inOrder.map(({ label, at, author, text }): Line => [label, `${utcMinute(at)}  ${author}: ${text}`]);
}

function linesOf(name: string, value: FieldValue, titles: SubmissionDetail["packageTitles"]): Line[] {
  if (value === null) return [];
  if (typeof value === "string") return [[name, value]];
  return value.map((id) => ["package", titles[id] ?? id]);
}
