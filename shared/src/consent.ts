// What a form says of the privacy notice that it showed. These are no fields of any submission: no schema names them, and
// no value of them is ever refused, because the person who sends the form did not write them (docs/adr/0025).

/** Name of the field with the version of the text that was shown: `2026-11`, at most 100 code points. */
export const consentTextField = "consentText";

/** Name of the field with the address of the page that showed it. */
export const consentPageField = "consentPage";
