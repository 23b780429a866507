// The open sessions of the operator who is signed in.
import { useMutation, useQuery } from "@tanstack/react-query";
import { queryClient, trpc } from "../calls.ts";
import { Age, Waiting } from "../parts/states.tsx";
import { useToasts } from "../parts/toasts.tsx";

export function Sessions() {
  const { showFailure } = useToasts();
  const sessions = useQuery(trpc.session.list.queryOptions());
  const end = useMutation({
    ...trpc.session.end.mutationOptions(),
    onError: (error) => showFailure("Not ended.", error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.session.list.queryKey() }),
  });
  return (
    <section className="box">
      <h2>Your sessions</h2>
      <Waiting query={sessions} rows={1} />
      <ul className="lines">
        {sessions.data?.map(({ id, device, network, seenAt, createdAt, isThis }) => (
          <li key={id}>
            <div>
              <p>
                {device || "Unknown device"} {isThis && <span className="quiet">this one</span>}
              </p>
              <p className="quiet small">
                {network && `${network} · `}Used <Age at={seenAt} ago />, signed in <Age at={createdAt} ago />
              </p>
            </div>
            {!isThis && (
              <button
                type="button"
                className="small-button"
                aria-label={`End the session of ${device || "an unknown device"}`}
                disabled={end.isPending}
                onClick={() => end.mutate({ id })}
              >
                End
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
