// The only reader of process.env. It hands on names and raw texts; what they mean, only config.ts knows.

/** Raw settings by variable name. A blank value counts as unset, because that is how Compose files leave one out. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. */
export function readEnvironment(): Environment {
  return { ...process.env };
}
