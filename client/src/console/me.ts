// The signed-in operator, and what the role includes. The server decides; this only hides what it would refuse.
import type { Me } from "@submissions/shared/console";
import { useSyncExternalStore } from "react";
import { session } from "./session.ts";

const nobody: Me = { email: "", role: "marketing" };

export const useMe = (): Me =>
  useSyncExternalStore(session.subscribe, () => ("me" in session.state ? session.state.me : nobody));

export const seesSubmissions = ({ role }: Me): boolean => role !== "marketing";
export const seesSubscribers = ({ role }: Me): boolean => role === "admin" || role === "marketing";
export const isAdmin = ({ role }: Me): boolean => role === "admin";
