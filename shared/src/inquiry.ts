// An inquiry about dataset packages: what a buyer sends and gets back.
import * as z from "zod";
import { optional, required } from "./fields.ts";
import { inquiryFields as fields, packageCounts } from "./inquiry-fields.ts";
import { kinds } from "./kinds.ts";
import { receiptOf } from "./receipt.ts";
import { missing } from "./text.ts";

const { rule, description } = fields.selectedPackageIds;
const { min, max } = packageCounts;

const packageIds = z
  .array(required({ rule }), { error: ({ input }) => (input === undefined ? missing : "This field must be a list.") })
  .min(...min)
  .overwrite((ids) => [...new Set(ids)])
  .meta({ maxItems: max[0], description });

// A JSON body has room for 30,000 identifiers. A list that is too long is refused before any of them is read, with one
// issue instead of one for each.
const boundedPackageIds = z.preprocess((ids: string[], context) => {
  if (!Array.isArray(ids) || ids.length <= max[0]) return ids;
  context.issues.push({ code: "custom", message: max[1], input: ids });
  return z.NEVER;
}, packageIds);

/** Body of `marketplace.inquiry`. Further fields are kept beside it (docs/api.md). */
export const inquiryInput = z
  .object(
    {
      name: required(fields.name),
      company: optional(fields.company),
      email: required(fields.email),
      selectedPackageIds: boundedPackageIds,
    },
    { error: "The body must be an object with the documented fields." },
  )
  .meta({ description: "A buyer asks about dataset packages." });

/** What the buyer gets back. */
export const inquiryReceipt = receiptOf(kinds.inquiry);

/** What a buyer sends. Optional fields may be null. */
export interface InquiryInput {
  /** The buyer's name. At most 200 characters. */
  readonly name: string;
  /** Where the receipt and the answer go. At most 254 characters. */
  readonly email: string;
  /** The buyer's company. At most 200 characters. */
  readonly company?: string | null | undefined;
  /** Identifiers of the packages asked for. Repeats are dropped, the order is kept. At most 50, of 100 characters each. */
  readonly selectedPackageIds: readonly string[];
}

/** An inquiry as the schema answers it, with cleaned texts. */
export type CheckedInquiry = z.output<typeof inquiryInput>;
export type InquiryReceipt = z.output<typeof inquiryReceipt>;
