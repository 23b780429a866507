// What a kind adds to the path of all submissions: the packages and openings on offer, its record, its receipt.
import { positionField } from "@submissions/shared/application-fields";
import type { Issue } from "@submissions/shared/faults";
import { fieldOfKind } from "@submissions/shared/field-table";
import { kindOf, type SubmissionKind } from "@submissions/shared/kinds";
import { packageIdsMax, textLengthMax } from "@submissions/shared/limits";
import { cleanLine } from "@submissions/shared/text";
import { isOpen } from "../config/openings.ts";
import { valuesOf } from "../field-values.ts";
import type { InputOf, ReceiptOf } from "../kinds.ts";
import type { SubmissionRecord } from "../storage/records.ts";
import type { Feature, Intake } from "./submit.ts";

export function featureOf<Kind extends SubmissionKind>(kind: Kind): Feature<InputOf<Kind>, ReceiptOf<Kind>> {
  const { procedure, fields, idName, words } = kindOf(kind);
  const packages = fieldOfKind(fields, "packages");
  const hasOpenings = positionField in fields;
  return {
    procedure,
    ...(packages !== undefined && {
      refusals: (intake, input, raw) => {
        const unknown = unknownPackages(intake, packages, (input as Sent)[packages] as readonly string[]);
        // An input has no repeats any more: a list that is refused is looked at as it was sent.
        const asSent = unknown.length === 0 ? [] : alsoRefused(kind, intake, raw);
        return asSent.length === 0 ? unknown : asSent;
      },
    }),
    ...(hasOpenings && { refusals: (intake, input) => closedOpening(intake, (input as Sent)[positionField]) }),
    record: (input, { intake, received, resume, more }) => {
      const values = { ...received, kind, ...valuesOf(kind, input), resume, more } as unknown as SubmissionRecord;
      if (!hasOpenings || intake.openings === null) return values;
      const opening = intake.openings.named((input as Sent)[positionField] as string, received.receivedAt);
      return opening ? { ...values, [positionField]: opening.title, opening: opening.id } : values;
    },
    delivery: "awaited",
    receipt: ({ reference, confirmationEmailSent }) =>
      ({ message: words.en.received, [idName]: reference, confirmationEmailSent }) as ReceiptOf<Kind>,
  };
}

type Sent = Readonly<Record<string, unknown>>;

/** Every identifier that the catalogue does not hold; none without a catalogue. */
function unknownPackages({ packageTitles }: Pick<Intake, "packageTitles">, field: string, ids: readonly string[]) {
  if (packageTitles === null) return [];
  return ids.flatMap((id, position) =>
    packageTitles.has(id) ? [] : [{ path: [field, position], message: `“${id}” is not a package we offer.` }],
  );
}

/** The position, where it names an opening that is closed. */
function closedOpening({ openings, clock }: Pick<Intake, "openings" | "clock">, position: unknown): Issue[] {
  if (openings === null || typeof position !== "string" || position.length > textLengthMax.name) return [];
  const now = clock.now();
  const opening = openings.named(position, now);
  if (opening === undefined || isOpen(opening, now)) return [];
  return [{ path: [positionField], message: `“${opening.title}” is closed.` }];
}

/** What the configuration refuses of an input that the schema refuses too, so that they are reported together. */
export function alsoRefused(kind: SubmissionKind, intake: Intake, raw: object): Issue[] {
  const field = fieldOfKind(kindOf(kind).fields, "packages");
  const sent = raw instanceof FormData ? Object.fromEntries(raw) : (raw as Sent);
  if (positionField in kindOf(kind).fields) return closedOpening(intake, sent[positionField]);
  const ids = field === undefined ? undefined : sent[field];
  if (field === undefined || !Array.isArray(ids) || ids.length > packageIdsMax) return [];
  const texts = ids.map((id: unknown) =>
    typeof id === "string" && id.length <= textLengthMax.packageId ? cleanLine(id) : "",
  );
  return unknownPackages(intake, field, texts);
}
