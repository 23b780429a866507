// Texts that replies are filled with, for each kind that the role sees.
import type { SavedAnswer } from "@submissions/shared/console";
import { kindsOf, type SubmissionKind } from "@submissions/shared/kinds";
import { greetingLanguages } from "@submissions/shared/language";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../calls.ts";
import { useMe } from "../operators.ts";
import { Box, Line, Lines } from "../parts/boxes.tsx";
import { DraftText, FormButton } from "../parts/dialogs.tsx";
import { Field, Options, Select } from "../parts/form.tsx";
import { languageName, word } from "../words.ts";

const reads = [trpc.reply.answers];

export const SavedAnswers = () => (
  <Box title="Saved answers" button={<AnswerButton word="Add saved answer" title="Add saved answer" />}>
    <Lines of={useQuery(trpc.reply.answers.queryOptions())} empty="Replies can begin with one. There is none yet.">
      {(answer) => (
        <Line
          key={answer.id}
          title={answer.title}
          about={
            <p className="clip">
              {word(answer.kind)}
              {answer.language !== null && `, ${languageName(answer.language)}`} · {answer.text}
            </p>
          }
        >
          <AnswerButton word="Edit" className="small-button" title="Change saved answer" answer={answer} />
          <FormButton
            word="Remove"
            title="Remove this saved answer?"
            asks="danger solid"
            procedure={trpc.reply.removeAnswer}
            input={() => ({ id: answer.id })}
            reads={reads}
          >
            <p>{answer.title}</p>
          </FormButton>
        </Line>
      )}
    </Lines>
  </Box>
);

interface AnswerProps {
  readonly word: string;
  readonly className?: string;
  readonly title: string;
  /** The one to change. */
  readonly answer?: SavedAnswer;
}

function AnswerButton({ answer, ...button }: AnswerProps) {
  const kinds = kindsOf(useMe().role);
  const draft = `answer ${answer?.id ?? "new"}`;
  return (
    <FormButton
      {...button}
      draft={draft}
      yes="Save"
      procedure={trpc.reply.saveAnswer}
      input={(text) => ({
        id: answer?.id ?? null,
        kind: text("kind") as SubmissionKind,
        title: text("title"),
        text: text("text"),
        language: greetingLanguages.find((one) => one === text("language")) ?? null,
        ...(answer !== undefined && { was: text("was") }),
      })}
      reads={reads}
    >
      <Select label="Kind" name="kind" defaultValue={answer?.kind}>
        <Options of={kinds} />
      </Select>
      <Select label="Language" name="language" defaultValue={answer?.language ?? ""}>
        <option value="">any</option>
        {greetingLanguages.map((one) => (
          <option key={one} value={one}>
            {languageName(one)}
          </option>
        ))}
      </Select>
      <Field label="Title" name="title" required maxLength={100} defaultValue={answer?.title} autoFocus />
      <label>
        Text
        <DraftText draft={draft} stored={answer?.text ?? ""} aria-label="Text" name="text" required rows={8} />
      </label>
      <p className="quiet small">
        {"{name}, {reference}, {packages}, {position} and {company} stand for what was sent."}
      </p>
    </FormButton>
  );
}
