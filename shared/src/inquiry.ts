// An inquiry about dataset packages: what a buyer sends and gets back.
import { z } from "zod";
import { optional, required } from "./fields.ts";
import { inquiryFields as fields, inquiryPrefix, packageCounts } from "./inquiry-fields.ts";
import { referenceOf } from "./reference.ts";
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
export const inquiryReceipt = z.object({
  message: z.string().meta({ description: "Safe to show to the person.", maxLength: 200 }),
  inquiryId: referenceOf(inquiryPrefix).meta({ description: "The reference to quote." }),
  confirmationEmailSent: z.boolean().meta({
    description: "Whether the mail provider took the receipt before this answer; if not, it is still being tried.",
  }),
});

export type InquiryInput = z.output<typeof inquiryInput>;
export type InquiryReceipt = z.output<typeof inquiryReceipt>;
