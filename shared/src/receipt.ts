// What the sender of a submission gets back, whatever its kind.
import { z } from "zod";
import type { Kind } from "./kinds.ts";
import { referenceOf } from "./reference.ts";

type Fields<IdName extends string> = { message: z.ZodString } & { [Name in IdName]: z.ZodString } & {
  confirmationEmailSent: z.ZodBoolean;
};

/** The schema of the receipt of a kind, which names the reference by the row's `idName`. */
export const receiptOf = <IdName extends string>({
  idName,
  prefix,
}: Pick<Kind, "prefix"> & { readonly idName: IdName }): z.ZodObject<Fields<IdName>> =>
  z.object({
    message: z.string().meta({ description: "Safe to show to the person.", maxLength: 200 }),
    [idName]: referenceOf(prefix).meta({ description: "The reference to quote." }),
    confirmationEmailSent: z.boolean().meta({
      description: "Whether the mail provider took the receipt before this answer; if not, it is still being tried.",
    }),
  } as unknown as Fields<IdName>);
