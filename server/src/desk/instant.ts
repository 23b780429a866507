// Instants as operators write them.

const dateShape = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** A day, meaning its first moment in UTC, or an instant with its zone, in milliseconds since the epoch; else null. */
export function readInstant(text: string): number | null {
  if (!dateShape.test(text)) return null;
  try {
    return Temporal.Instant.from(text.length === 10 ? `${text}T00:00Z` : text).epochMilliseconds;
  } catch (error) {
    // A day that no calendar has, like 30 February.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
