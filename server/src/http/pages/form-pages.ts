// What the pages say of each form: the rows of the kinds, and that of the newsletter.
import { type FormName } from "@submissions/shared/forms/form-fields";
import { submissionKinds } from "@submissions/shared/kinds";
import { englishPages } from "../../config/page-words.ts";
import { type FormPage, ofKinds, serverKindOf } from "../../kinds.ts";

export const formPages: Readonly<Record<FormName, FormPage>> = {
  ...ofKinds((kind) => serverKindOf(kind).page),
  newsletter: {
    anchor: "newsletter",
    words: englishPages.forms.newsletter,
    front: {
      heading: "New recordings, by e-mail",
      text: "One e-mail when we add a package, and nothing else. Every e-mail has a link to unsubscribe.",
    },
  },
};

const [first, ...others] = submissionKinds;

/** The forms in the order of the front page. */
export const formOrder: readonly FormName[] = [first!, "newsletter", ...others];
