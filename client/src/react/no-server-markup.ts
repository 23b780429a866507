// Stands in for server-markup.ts in browsers, where the elements write their forms themselves.
import type { ServerMarkup } from "./form-props.ts";

export const serverMarkup: ServerMarkup | undefined = undefined;
