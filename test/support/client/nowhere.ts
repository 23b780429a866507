/**
 * An address at which no server listens. The system never gives a port below 1024 to a program that asks for any, and
 * `fetch` does not block this one.
 */
export const nowhere = "http://127.0.0.1:2";
