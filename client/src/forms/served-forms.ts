// What the service serves as /forms.js: the forms, which send to the service that the script came from.
import "./served-from.ts";

export * from "./forms.ts";
