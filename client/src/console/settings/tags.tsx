// The tags of all submissions, for administrators to rename and remove.
import { queryClient, trpc } from "../calls.ts";
import { Box } from "../parts/boxes.tsx";
import { textOf } from "../parts/form.tsx";
import { Tag } from "../parts/states.tsx";
import { FormButton, useChange } from "../parts/dialogs.tsx";
import { useTags } from "../submission/tags.tsx";
import { plural } from "../words.ts";

export function TagSettings() {
  const tags = useTags();
  const rename = useChange(trpc.tags.rename, {
    said: ({ changed }) => `Renamed on ${plural(changed, "submission")}.`,
    failed: "Not renamed.",
    onDone: () => void queryClient.invalidateQueries(),
  });
  return (
    <Box title="Tags">
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
              <button className="small-button" aria-description={tag} disabled={rename.isPending}>
                Rename
              </button>
            </form>
            <FormButton
              word="Remove"
              label={`Remove ${tag} everywhere`}
              title={`Remove “${tag}” from all submissions?`}
              asks="danger solid"
              procedure={trpc.tags.remove}
              input={() => ({ tag })}
              said={({ changed }: { changed: number }) => `Removed from ${plural(changed, "submission")}.`}
              failed="Not removed."
              onDone={() => void queryClient.invalidateQueries()}
            >
              <p>This cannot be undone.</p>
            </FormButton>
          </li>
        ))}
      </ul>
    </Box>
  );
}
