// Why a service could not start, in words for the person at the terminal.
import type { Config } from "./config/config.ts";
import { messageForOperator } from "./observe/describe-error.ts";

/** Null: not one of the usual reasons. */
export function whyNotStarted(error: unknown, { listen }: Pick<Config, "listen">): string | null {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "EADDRINUSE"
    ? `port ${listen.port} of ${listen.host} is taken. Set PORT to another one.`
    : messageForOperator(error);
}
