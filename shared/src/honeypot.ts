// The trap for programs that fill in every field of a form. It is no field of any submission: no schema and no document
// names it.

/** A form hides this field from people; whoever fills it in is no person. */
export const honeypotField = "website";
