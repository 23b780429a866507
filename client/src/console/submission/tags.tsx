// The tags of submissions: shown, added with suggestions, and removed; of one or of several at once.
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { trpc } from "../calls.ts";
import { Icon } from "../parts/icons.tsx";
import { colourOf } from "../parts/states.tsx";
import { useShortcuts } from "../parts/shortcuts.ts";
import { useToasts } from "../parts/toasts.tsx";
import { useChange } from "../parts/dialogs.tsx";

/** The tags of submissions that the operator sees, as suggestions and to be renamed. */
export const useTags = (): readonly string[] =>
  useQuery(trpc.tags.list.queryOptions(undefined, { staleTime: 60_000 })).data ?? [];

/** More are found by typing. */
const suggestedMax = 8;

interface Props {
  readonly references: readonly string[];
  /** Those that any of them has. */
  readonly tags: readonly string[];
}

export function TagBox({ references, tags }: Props) {
  const [typed, setTyped] = useState("");
  const sent = useRef("");
  const box = useRef<HTMLInputElement>(null);
  useShortcuts({ t: () => box.current?.focus() });
  const known = useTags();
  const { showToast } = useToasts();
  const change = useChange(trpc.tags.change, {
    failed: "Not changed.",
    reads: [trpc.inbox.list, trpc.tags.list, trpc.submission.get],
    onDone: ({ changed }, request) => {
      if (request.add !== undefined && changed === 0) showToast("It has this tag, or as many as it may have.");
      // What was typed meanwhile stays.
      else setTyped((now) => (now === sent.current ? "" : now));
    },
  });
  const add = (word: string) => {
    sent.current = typed;
    change.mutate({ references: [...references], add: word });
  };
  // Those that begin with what is typed; shown while the box has the focus.
  const begins = (tag: string) => tag.toLowerCase().startsWith(typed.trim().toLowerCase());
  const suggested = known.filter((tag) => !tags.includes(tag) && begins(tag)).slice(0, suggestedMax);
  return (
    <div className="tags">
      {tags.map((tag) => (
        <span key={tag} className={colourOf(tag)}>
          {tag}
          <button
            className="bare"
            aria-label={`Remove ${tag}`}
            disabled={change.isPending}
            onClick={() => change.mutate({ references: [...references], remove: tag })}
          >
            <Icon name="close" size={12} />
          </button>
        </span>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const word = typed.trim();
          if (word !== "") add(word);
        }}
      >
        <input
          ref={box}
          aria-label="Add tag"
          aria-keyshortcuts="t"
          placeholder="Add tag"
          maxLength={40}
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </form>
      {suggested.length > 0 && (
        <ul className="suggestions" aria-label="Suggested tags">
          {suggested.map((tag) => (
            <li key={tag}>
              <button className={colourOf(tag)} onClick={() => add(tag)}>
                {tag}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
