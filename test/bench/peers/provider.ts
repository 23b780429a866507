// Stands in for the mail provider's API: takes every mail at once. Environment: PORT.
import { createServer } from "node:http";

let count = 0;
const taken = ({ To }: { readonly To: string }) => ({
  To,
  SubmittedAt: new Date().toISOString(),
  MessageID: `mail-${(count += 1)}`,
  ErrorCode: 0,
  Message: "OK",
});

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const mails: unknown = chunks.length === 0 ? [] : JSON.parse(Buffer.concat(chunks).toString());
    const answer = Array.isArray(mails) ? mails.map(taken) : taken(mails as { To: string });
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  });
}).listen(Number(process.env["PORT"]), "127.0.0.1");
