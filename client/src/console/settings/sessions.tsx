// The open sessions of the operator who is signed in.
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../calls.ts";
import { Box, Line, Lines } from "../parts/boxes.tsx";
import { Age } from "../parts/states.tsx";
import { useChange } from "../parts/use-change.ts";

export function Sessions() {
  const sessions = useQuery(trpc.session.list.queryOptions());
  const end = useChange(trpc.session.end, { failed: "Not ended.", reads: [trpc.session.list] });
  return (
    <Box title="Your sessions">
      <Lines of={sessions}>
        {({ id, device, network, seenAt, createdAt, isThis }) => (
          <Line
            key={id}
            title={
              <>
                {device || "Unknown device"} {isThis && <span className="quiet">this one</span>}
              </>
            }
            about={
              <>
                {network && `${network} · `}Used <Age at={seenAt} ago />, signed in <Age at={createdAt} ago />
              </>
            }
          >
            {!isThis && (
              <button
                className="small-button"
                aria-label={`End the session of ${device || "an unknown device"}`}
                disabled={end.isPending}
                onClick={() => end.mutate({ id })}
              >
                End
              </button>
            )}
          </Line>
        )}
      </Lines>
    </Box>
  );
}
