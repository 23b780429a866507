// Tells a person at a terminal where the service that was just started can be reached.
import type { Config } from "./config/config.ts";

/**
 * @param address where the service listens
 * @param signIn how to sign in to the console, where this process knows
 */
export function whatToOpen(address: string, { dataFolder, mail }: Config, signIn: string | null = null): string {
  return `
  forms    ${address}/
  console  ${address}/console${signIn === null ? "" : `  (${signIn})`}
  docs     ${address}/docs
  OpenAPI  ${address}/openapi.json
  health   ${address}/readyz
  data     ${dataFolder}
  mails    ${mail.kind === "mailbox" ? mail.folder : `really sent, by ${mail.kind}`}

`;
}
