// The tags of all submissions, for administrators to rename.
import { useMutation } from "@tanstack/react-query";
import { queryClient, trpc } from "../calls.ts";
import { textOf } from "../parts/fields.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { Tag } from "../parts/tag.tsx";
import { useTags } from "../submission/tags.tsx";
import { plural } from "../words.ts";

export function TagSettings() {
  const tags = useTags();
  const { showToast, showFailure } = useToasts();
  const rename = useMutation({
    ...trpc.tags.rename.mutationOptions(),
    onSuccess: ({ changed }) => {
      showToast(`Renamed on ${plural(changed, "submission")}.`);
      void queryClient.invalidateQueries();
    },
    onError: (error) => showFailure("Not renamed.", error),
  });
  return (
    <section className="box">
      <h2>Tags</h2>
      {tags.length === 0 && <p className="quiet">There are none yet. They are added on the page of a submission.</p>}
      <ul className="lines">
        {tags.map((tag) => (
          <li key={tag}>
            <div>
              <Tag tag={tag} />
            </div>
            <form
              onSubmit={(event) => {
                event.preventDefault();
                const to = textOf(new FormData(event.currentTarget), "to").trim();
                if (to !== "" && to !== tag) rename.mutate({ from: tag, to });
              }}
            >
              <input name="to" aria-label={`New name of ${tag}`} defaultValue={tag} maxLength={40} autoComplete="off" />
              <button type="submit" className="small-button" disabled={rename.isPending}>
                Rename<span className="unseen"> {tag}</span>
              </button>
            </form>
          </li>
        ))}
      </ul>
    </section>
  );
}
