// Texts that replies are filled with, for each kind that the role sees.
import { submissionKinds, type SavedAnswer } from "@submissions/shared/console";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../calls.ts";
import { useMe } from "../me.ts";
import { Box, Line, Lines } from "../parts/boxes.tsx";
import { DialogButton, FormDialog, RemoveButton } from "../parts/dialogs.tsx";
import { Options } from "../parts/fields.tsx";
import { Field } from "../parts/form.tsx";
import { useChange } from "../parts/use-change.ts";
import { word } from "../words.ts";

const reads = [trpc.reply.answers];

export const SavedAnswers = () => (
  <Box
    title="Saved answers"
    button={
      <DialogButton word="Add saved answer">{(close) => <AnswerDialog answer={null} onClose={close} />}</DialogButton>
    }
  >
    <Lines of={useQuery(trpc.reply.answers.queryOptions())} empty="Replies can begin with one. There is none yet.">
      {(answer) => (
        <Line
          key={answer.id}
          title={answer.title}
          about={
            <p className="clip">
              {word(answer.kind)} · {answer.text}
            </p>
          }
        >
          <DialogButton word="Edit" className="small-button">
            {(close) => <AnswerDialog answer={answer} onClose={close} />}
          </DialogButton>
          <RemoveButton
            title="Remove this saved answer?"
            procedure={trpc.reply.removeAnswer}
            input={{ id: answer.id }}
            reads={reads}
          >
            {answer.title}
          </RemoveButton>
        </Line>
      )}
    </Lines>
  </Box>
);

const kindsOf = { admin: submissionKinds, sales: ["inquiry"], recruiting: ["application"], marketing: [] } as const;

function AnswerDialog({ answer, onClose }: { readonly answer: SavedAnswer | null; readonly onClose: () => void }) {
  const kinds = kindsOf[useMe().role];
  const save = useChange(trpc.reply.saveAnswer, { reads, onDone: onClose });
  return (
    <FormDialog
      title={answer === null ? "Add saved answer" : "Change saved answer"}
      word="Save"
      call={save}
      onSubmit={(text) =>
        save.mutate({
          id: answer?.id ?? null,
          kind: text("kind") === "application" ? "application" : "inquiry",
          title: text("title"),
          text: text("text"),
        })
      }
      onClose={onClose}
    >
      <label>
        Kind
        <select name="kind" defaultValue={answer?.kind}>
          <Options of={kinds} />
        </select>
      </label>
      <Field label="Title" name="title" required maxLength={100} defaultValue={answer?.title} autoFocus />
      <label>
        Text
        <textarea name="text" required rows={8} maxLength={10_000} dir="auto" defaultValue={answer?.text} />
      </label>
      <p className="quiet small">
        {"{name}, {reference}, {packages}, {position} and {company} stand for what was sent."}
      </p>
    </FormDialog>
  );
}
