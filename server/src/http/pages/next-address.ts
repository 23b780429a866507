// Where a form without script comes back to. The address is a stranger's text, so only known origins are followed.
import { nextField } from "@submissions/shared/hidden-fields";
import { textLengthMax } from "@submissions/shared/limits";
import type { Site } from "./site.ts";

/** The return address of a form: a path of this host, or a whole address. Undefined: it names none that may be followed. */
export function nextAddress(
  form: FormData | undefined,
  site: Pick<Site, "corsOrigins" | "publicUrl">,
): string | undefined {
  const [next, ...more] = form?.getAll(nextField) ?? [];
  if (typeof next !== "string" || more.length > 0 || next.length > textLengthMax.url) return undefined;
  // Browsers drop control characters and take a backslash for a slash. Other schemes may carry an origin, too (`blob:`).
  if (!/^(?:https?:\/\/|\/)[^\\\p{Cc}]*$/iu.test(next)) return undefined;
  const own = new URL(site.publicUrl()).origin;
  const url = URL.parse(next, own);
  if (url === null || url.username !== "" || url.password !== "") return undefined;
  if (url.origin !== own) return site.corsOrigins.includes(url.origin) ? url.href : undefined;
  // Once its dots are resolved, a path may begin like the address of another host.
  return url.pathname.startsWith("//") ? undefined : url.pathname + url.search + url.hash;
}
