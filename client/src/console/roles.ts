// What a role sees.
import type { Me } from "@submissions/shared/console";
import { kindsOf } from "@submissions/shared/kinds";

export const seesSubmissions = ({ role }: Me): boolean => kindsOf(role).length > 0;
export const seesSubscribers = ({ role }: Pick<Me, "role">): boolean => role === "admin" || role === "marketing";
export const isAdmin = ({ role }: Me): boolean => role === "admin";
