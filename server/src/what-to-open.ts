// Tells a person at a terminal where the service that was just started can be reached.
import type { Config } from "./config/config.ts";

/** @param address where the service listens */
export function whatToOpen(address: string, { dataFolder, mail }: Config): string {
  return `
  forms    ${address}/
  docs     ${address}/docs
  OpenAPI  ${address}/openapi.json
  health   ${address}/readyz
  data     ${dataFolder}
  mails    ${mail.kind === "mailbox" ? mail.folder : `really sent, by ${mail.kind}`}

`;
}
