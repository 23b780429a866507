// Makes elements of markup, also on pages that demand trusted types.

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(text: string): string }): { createHTML(text: string): string };
}

let policy: { createHTML(text: string): string } | null | undefined;

/** The elements of markup that `html` made, which escapes whatever is filled in. */
export function fragmentOf(markup: string): DocumentFragment {
  if (policy === undefined) policy = trustedPolicy();
  const template = document.createElement("template");
  template.innerHTML = policy ? policy.createHTML(markup) : markup;
  return template.content;
}

function trustedPolicy() {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  try {
    return trustedTypes?.createPolicy("submission-forms", { createHTML: (text) => text }) ?? null;
  } catch {
    // TypeError: the page names the policies that it allows, and not ours. It may still take plain text.
    return null;
  }
}
