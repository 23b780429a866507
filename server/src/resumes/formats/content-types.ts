// Reads `[Content_Types].xml`, the one part of an Office package that tells what the others are.
import { readTags } from "./xml-tags.ts";

// Tells the content type of a part, whose name begins with a slash, in lower case; undefined when nothing names it. Null:
// the XML cannot be read, holds too much or contradicts itself.
export const parseContentTypes = (xml: Buffer): ((partName: string) => string | undefined) | null => {
  const defaults = new Map<string, string>();
  const overrides = new Map<string, string>();
  const tags = readTags(xml);
  if (!tags) return null;
  for (const { name, attributes } of tags) {
    const type = attributes.get("ContentType")?.trim().toLowerCase();
    const extension = attributes.get("Extension");
    const partName = attributes.get("PartName");
    if (type === undefined) continue;
    if (name === "Default" && extension !== undefined && !declare(defaults, extension.toLowerCase(), type)) return null;
    if (name === "Override" && partName !== undefined && !declare(overrides, asPartName(partName), type)) return null;
  }
  return (partName) => {
    const name = partName.toLowerCase();
    return overrides.get(name) ?? defaults.get(name.slice(name.lastIndexOf(".") + 1));
  };
};

/** Adds a type. False when there was another one for the name: readers differ in which of two they believe. */
const declare = (types: Map<string, string>, name: string, type: string): boolean => {
  const known = types.get(name) ?? type;
  types.set(name, type);
  return known === type;
};

const asPartName = (value: string) => (value.startsWith("/") ? value : `/${value}`).toLowerCase();
