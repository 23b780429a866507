// Makes elements from markup, also on pages that require trusted types.

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(text: string): string }): { createHTML(text: string): string };
}

let policy: { createHTML(text: string): string } | null | undefined;

/** The elements of markup that `html` wrote, which escapes every fill. */
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
    // TypeError: the page allows other policies only. It may still accept plain text.
    return null;
  }
}
