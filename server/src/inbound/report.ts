// Reports of deliveries (RFC 3464): which mail did not arrive, and why.
import type { Part } from "./other-text.ts";

const recipientsMax = 100;
const partBytesMax = 64 * 1024;
const otherAction = /^(?:delayed|delivered|relayed|expanded)\b/i;

/** @param said the text of the report, which is written for persons */
export function readReport(parts: readonly Part[], said: string) {
  const textOf = (pattern: RegExp) => {
    const part = parts.find(({ mimeType }) => pattern.test(mimeType));
    return part && Buffer.from(part.content.subarray(0, partBytesMax)).toString().replace(/\r\n?/g, "\n");
  };
  const deliveryStatus = textOf(/^message\/(?:global-)?delivery-status$/) ?? "";
  const quoted = textOf(/^(?:message\/(?:rfc822|global)|text\/rfc822-headers|message\/global-headers)$/) ?? "";
  const messageId = /<([^<>\s]{1,998})>/.exec(
    fieldsOf(quoted.trimStart().split("\n\n", 1)[0] ?? "").get("message-id") ?? "",
  )?.[1];
  return deliveryStatus
    .split(/\n{2,}/)
    .map(fieldsOf)
    .filter((fields) => fields.has("action") || fields.has("status"))
    .slice(0, recipientsMax)
    .map((fields) => {
      const code = /\d\.\d{1,3}\.\d{1,3}/.exec(fields.get("status") ?? "")?.[0] ?? "";
      // Exim reports every failure as 5.0.0. A server that was away for days has 4.4.7 (RFC 3463).
      const status =
        code === "5.0.0" && /retry time(?:out exceeded| not reached)|have been failing for a long time/.test(said)
          ? "4.4.7"
          : code;
      // The action decides (RFC 3464 2.3.3): a server that gives up after days of trying may keep a status of 4.
      const action = fields.get("action") ?? "";
      const failed = /^failed\b/i.test(action) || (status.startsWith("5.") && !otherAction.test(action));
      return { status, failed, ...(messageId !== undefined && { originalMessageId: messageId }) };
    });
}

/** The fields of a block, folded lines joined; of repeated ones the first. */
function fieldsOf(block: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of block.replace(/\n[ \t]+/g, " ").split("\n")) {
    const at = line.indexOf(":");
    const key = line.slice(0, at).trim().toLowerCase();
    if (at > 0 && !fields.has(key)) fields.set(key, line.slice(at + 1).trim());
  }
  return fields;
}
