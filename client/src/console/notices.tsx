// What every page says at its top: that the browser is offline, and what goes wrong in the service.
import { onlineManager, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";
import { trpc } from "./calls.ts";

const troublesEveryMs = 60_000;

export function Notices() {
  const online = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => navigator.onLine,
  );
  const { data } = useQuery({ ...trpc.overview.troubles.queryOptions(), refetchInterval: troublesEveryMs });
  return (
    <div className="notices">
      {!online && <p role="alert">You are offline. Changes are sent once the connection is back.</p>}
      {data?.mail && (
        <p role="alert">
          No mail goes out at present.{" "}
          <Link to="/mails" search={{ status: "queued" }}>
            Queued mails
          </Link>{" "}
          wait. Please tell those who run this service.
        </p>
      )}
      {data?.disk && <p role="alert">The disk of this service is nearly full. Please tell those who run it.</p>}
    </div>
  );
}
