// What the pages say of each form: the rows of the kinds, and that of the newsletter.
import { type FormName } from "@submissions/shared/forms/form-fields";
import { submissionKinds } from "@submissions/shared/kinds";
import { type FormPage, ofKinds, serverKindOf } from "../../kinds.ts";

export const formPages: Readonly<Record<FormName, FormPage>> = {
  ...ofKinds((kind) => serverKindOf(kind).page),
  newsletter: {
    anchor: "newsletter",
    words: {
      en: {
        section: "Newsletter",
        thanks:
          "We sent you an e-mail with a link. Open it to confirm your subscription. If nothing arrives, look into your spam folder.",
        notSent: "You are not subscribed yet",
      },
      de: {
        section: "Newsletter",
        thanks:
          "Wir haben Ihnen eine E-Mail mit einem Link gesendet. Öffnen Sie ihn, um Ihr Abonnement zu bestätigen. Wenn nichts ankommt, sehen Sie bitte in den Spam-Ordner.",
        notSent: "Sie haben den Newsletter noch nicht abonniert",
      },
    },
    front: {
      heading: "New recordings, by e-mail",
      text: "One e-mail when we add a package, and nothing else. Every e-mail has a link to unsubscribe.",
    },
  },
};

const [first, ...others] = submissionKinds;

/** The forms in the order of the front page. */
export const formOrder: readonly FormName[] = [first!, "newsletter", ...others];
