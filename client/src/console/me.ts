// The signed-in operator, and what the role includes. The server decides; this only hides what it would refuse.
import type { Me } from "@submissions/shared/console";
import { useSyncExternalStore } from "react";
import { session } from "./session.ts";

/** Used until an operator is signed in. The role is the one that sees least. */
const signedOut: Me = { email: "", role: "marketing" };

export const useMe = (): Me =>
  useSyncExternalStore(session.subscribe, () => ("me" in session.state ? session.state.me : signedOut));

export const seesSubmissions = ({ role }: Me): boolean => role !== "marketing";
export const seesSubscribers = ({ role }: Me): boolean => role === "admin" || role === "marketing";
export const isAdmin = ({ role }: Me): boolean => role === "admin";
