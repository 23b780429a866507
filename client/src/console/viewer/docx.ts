// A DOCX as text: paragraphs, headings, lists and tables. Pictures and everything else are left out.
import { convertToHtml, images } from "mammoth";

const kept = new Set("P H1 H2 H3 H4 H5 H6 UL OL LI TABLE THEAD TBODY TR TD TH STRONG EM BR".split(" "));

/** @returns nothing where the file has no text */
export async function readDocx(arrayBuffer: ArrayBuffer): Promise<DocumentFragment> {
  // A picture would be read for nothing.
  const convertImage = images.imgElement(async () => ({ src: "" }));
  const { value } = await convertToHtml({ arrayBuffer }, { convertImage, externalFileAccess: false });
  // A document of its own: it runs nothing and loads nothing.
  const { body } = new DOMParser().parseFromString(value, "text/html");
  const text = document.createDocumentFragment();
  copy(body, text);
  return text;
}

/** Copies texts, and elements of known names without their attributes; of others what is in them. */
function copy(from: Node, to: Node): void {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) to.appendChild(document.createTextNode(node.nodeValue ?? ""));
    else if (node instanceof Element) {
      const copied = kept.has(node.nodeName) ? to.appendChild(document.createElement(node.nodeName)) : to;
      copy(node, copied);
    }
  }
}
