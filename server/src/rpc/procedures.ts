// The list of procedures. The router, both doors and the OpenAPI document are made from it.
import { kindOf, type kinds, type SubmissionKind, submissionKinds } from "@submissions/shared/kinds";
import { subscribeInput, subscribeReceipt } from "@submissions/shared/subscription";
import { featureOf, alsoRefused } from "../intake/submission.ts";
import { submit } from "../intake/submit.ts";
import { subscribe } from "../intake/subscription.ts";
import { type InputOf, serverKindOf, type serverKinds } from "../kinds.ts";
import { type Procedure, procedure } from "./procedure.ts";

type Taking<Kind extends SubmissionKind> = Procedure<
  (typeof kinds)[Kind]["procedure"],
  (typeof serverKinds)[Kind]["input"],
  (typeof serverKinds)[Kind]["receipt"]
>;

function taking<Kind extends SubmissionKind>(kind: Kind): Taking<Kind> {
  const { procedure: path, path: url, file } = kindOf(kind);
  const { operation, input, receipt: output } = serverKindOf(kind);
  const feature = featureOf(kind);
  const one: Procedure = {
    path,
    url,
    contentTypes:
      file === null
        ? ["application/json"]
        : ["multipart/form-data", "application/json", "application/x-www-form-urlencoded"],
    operation,
    input,
    output,
    alsoWrong: (intake, raw) => alsoRefused(kind, intake, raw),
    resolve: ({ intake, call }, sent) => submit(intake, feature, sent as InputOf<Kind>, call),
  };
  return one as unknown as Taking<Kind>;
}

export const procedures = [
  ...(submissionKinds.map((kind) => taking(kind)) as { [Kind in SubmissionKind]: Taking<Kind> }[SubmissionKind][]),
  procedure({
    path: "newsletter.subscribe",
    url: "/api/newsletter/subscribe",
    contentTypes: ["application/json"],
    operation: {
      operationId: "subscribeToNewsletter",
      summary: "Subscribe to the newsletter",
      description: "Stores a subscription and sends a welcome mail. Every address is answered alike, known or not.",
    },
    input: subscribeInput,
    output: subscribeReceipt,
    resolve: ({ intake, call }, input) => subscribe(intake, input, call),
  }),
];
