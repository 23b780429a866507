// Texts that replies are filled with, for each kind that the role sees.
import { submissionKinds, type SavedAnswer } from "@submissions/shared/console";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient, trpc } from "../calls.ts";
import { useMe } from "../me.ts";
import { FormDialog, Question } from "../parts/dialogs.tsx";
import { Options } from "../parts/fields.tsx";
import { Waiting } from "../parts/states.tsx";
import { word } from "../words.ts";

const listKey = trpc.reply.answers.queryKey();

export function SavedAnswers() {
  const answers = useQuery(trpc.reply.answers.queryOptions());
  const [editing, setEditing] = useState<SavedAnswer | "new" | null>(null);
  const [removing, setRemoving] = useState<SavedAnswer | null>(null);
  const remove = useMutation({
    ...trpc.reply.removeAnswer.mutationOptions(),
    onSuccess: () => {
      setRemoving(null);
      return queryClient.invalidateQueries({ queryKey: listKey });
    },
  });
  return (
    <section className="box">
      <div className="box-head">
        <h2>Saved answers</h2>
        <button type="button" onClick={() => setEditing("new")}>
          Add saved answer
        </button>
      </div>
      {answers.data?.length === 0 && <p className="quiet">Replies can begin with one. There is none yet.</p>}
      {answers.data ? (
        <ul className="lines">
          {answers.data.map((answer) => (
            <li key={answer.id}>
              <div>
                <p>{answer.title}</p>
                <p className="quiet small clip">
                  {word(answer.kind)} · {answer.text}
                </p>
              </div>
              <button type="button" className="small-button" onClick={() => setEditing(answer)}>
                Edit
              </button>
              <button type="button" className="small-button" onClick={() => setRemoving(answer)}>
                Remove
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <Waiting query={answers} rows={2} />
      )}
      {editing !== null && (
        <AnswerDialog answer={editing === "new" ? null : editing} onClose={() => setEditing(null)} />
      )}
      {removing !== null && (
        <Question
          title="Remove this saved answer?"
          word="Remove"
          danger
          call={remove}
          onYes={() => remove.mutate({ id: removing.id })}
          onClose={() => setRemoving(null)}
        >
          <p>{removing.title}</p>
        </Question>
      )}
    </section>
  );
}

const kindsOf = { admin: submissionKinds, sales: ["inquiry"], recruiting: ["application"], marketing: [] } as const;

function AnswerDialog({ answer, onClose }: { readonly answer: SavedAnswer | null; readonly onClose: () => void }) {
  const kinds = kindsOf[useMe().role];
  const save = useMutation({
    ...trpc.reply.saveAnswer.mutationOptions(),
    onSuccess: () => {
      onClose();
      return queryClient.invalidateQueries({ queryKey: listKey });
    },
  });
  return (
    <FormDialog
      title={answer === null ? "Add saved answer" : "Change saved answer"}
      word="Save"
      call={save}
      onSubmit={(data) =>
        save.mutate({
          id: answer?.id ?? null,
          kind: data.get("kind") === "application" ? "application" : "inquiry",
          title: data.get("title") as string,
          text: data.get("text") as string,
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
      <label>
        Title
        <input name="title" required maxLength={100} defaultValue={answer?.title} autoFocus />
      </label>
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
