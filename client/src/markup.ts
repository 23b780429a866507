// The forms as HTML, for servers that render pages without React.
export { formMarkup } from "@submissions/shared/forms/form-markup";
export { english, type FormStrings } from "@submissions/shared/forms/form-strings";
export { stringsIn, type StringsOverride } from "@submissions/shared/forms/override-strings";
