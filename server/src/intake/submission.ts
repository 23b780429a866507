// What a submission of a kind adds to the path of all: the packages that this service offers, its record, its receipt. Its
// file was judged when the body was read.
import type { Issue } from "@submissions/shared/faults";
import { fieldOfKind } from "@submissions/shared/field-table";
import { kindOf, type SubmissionKind } from "@submissions/shared/kinds";
import { packageIdsMax, textLengthMax } from "@submissions/shared/limits";
import { cleanLine } from "@submissions/shared/text";
import { valuesOf } from "../field-values.ts";
import type { InputOf, ReceiptOf } from "../kinds.ts";
import type { SubmissionRecord } from "../storage/records.ts";
import type { Feature, Intake } from "./submit.ts";

export function featureOf<Kind extends SubmissionKind>(kind: Kind): Feature<InputOf<Kind>, ReceiptOf<Kind>> {
  const { procedure, fields, idName, words } = kindOf(kind);
  const packages = fieldOfKind(fields, "packages");
  return {
    procedure,
    ...(packages !== undefined && {
      refusals: (intake, input) => unknownPackages(intake, packages, (input as Sent)[packages] as readonly string[]),
    }),
    record: (input, { received, resume, more }) =>
      ({ ...received, kind, ...valuesOf(kind, input), resume, more }) as unknown as SubmissionRecord,
    delivery: "awaited",
    receipt: ({ reference, confirmationEmailSent }) =>
      ({ message: words.en.received, [idName]: reference, confirmationEmailSent }) as ReceiptOf<Kind>,
  };
}

type Sent = Readonly<Record<string, unknown>>;

/** Every identifier that the catalogue does not hold; none without a catalogue. */
function unknownPackages(
  { packageTitles }: Pick<Intake, "packageTitles">,
  field: string,
  ids: readonly string[],
): Issue[] {
  if (packageTitles === null) return [];
  return ids.flatMap((id, position) =>
    packageTitles.has(id) ? [] : [{ path: [field, position], message: `“${id}” is not a package we offer.` }],
  );
}

/** The same of an input that the schema refuses, so that they are reported together with what it finds. */
export function unknownRawPackages(kind: SubmissionKind, intake: Intake, raw: object): Issue[] {
  const field = fieldOfKind(kindOf(kind).fields, "packages");
  const ids = field === undefined ? undefined : (raw as Sent)[field];
  if (field === undefined || !Array.isArray(ids) || ids.length > packageIdsMax) return [];
  const texts = ids.map((id: unknown) =>
    typeof id === "string" && id.length <= textLengthMax.packageId ? cleanLine(id) : "",
  );
  return unknownPackages(intake, field, texts);
}
