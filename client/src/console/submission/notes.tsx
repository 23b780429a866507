// Notes of the team. What is typed survives going to another submission, a conflict and the end of the session.
import type { Note } from "@submissions/shared/console";
import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { messageOf, queryClient, trpc } from "../calls.ts";
import { useDraft } from "../parts/drafts.tsx";
import { Age, Avatar } from "../parts/states.tsx";
import { shortName } from "../words.ts";

const lengthMax = 10_000;

export function Notes({ reference, notes }: { readonly reference: string; readonly notes: readonly Note[] }) {
  const [text, write, read] = useDraft(`note ${reference}`);
  const form = useRef<HTMLFormElement>(null);
  const detailKey = trpc.submission.get.queryKey({ reference });
  const add = useMutation({
    ...trpc.submission.addNote.mutationOptions(),
    onSuccess: (note, sent) => {
      queryClient.setQueryData(detailKey, (detail) => detail && { ...detail, notes: [...detail.notes, note] });
      // What was typed meanwhile stays.
      if (read().trim() === sent.text) write("");
      void queryClient.invalidateQueries({ queryKey: detailKey });
    },
  });
  const words = text.trim();
  return (
    <section className="box">
      <h2>Notes</h2>
      {notes.length > 0 && (
        <ol className="notes">
          {notes.map(({ id, author, at, text: said }) => (
            <li key={id}>
              <Avatar name={author} small />
              <div>
                <p className="note-head">
                  <strong>{shortName(author)}</strong> <Age at={at} ago />
                </p>
                <p className="note-text">{said}</p>
              </div>
            </li>
          ))}
        </ol>
      )}
      <form
        ref={form}
        className="note-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (words !== "" && !add.isPending) add.mutate({ reference, text: words });
        }}
      >
        <textarea
          aria-label="Note"
          dir="auto"
          placeholder="Write a note for the team…"
          rows={3}
          maxLength={lengthMax}
          value={text}
          onChange={({ target }) => write(target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
          }}
        />
        <div className="note-foot">
          <span className="problem" role="alert">
            {add.isError && `Not saved. ${messageOf(add.error)}`}
          </span>
          <button type="submit" disabled={words === "" || add.isPending} title="Ctrl + Enter">
            Add note
          </button>
        </div>
      </form>
    </section>
  );
}
