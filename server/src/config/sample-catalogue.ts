// The packages that are shown, and named in mails, where no catalogue is set. Made up: no inquiry is refused because of
// them.
import type { CataloguePackage } from "./catalogue.ts";

const sample = (
  id: string,
  title: string,
  hours: number,
  speakers: number,
  licence = "CC BY 4.0",
): CataloguePackage => ({ id, title, hours, speakers, licence });

export const samplePackages: readonly CataloguePackage[] = [
  sample("en-GB-scottish", "Scottish English, conversations", 120, 84),
  sample("en-IN-read", "Indian English, read sentences", 310, 412),
  sample("en-US-southern", "Southern US English, conversations", 96, 70),
  sample("de-AT", "Austrian German, conversations", 140, 118),
  sample("fr-CA", "Canadian French, call centre", 220, 160, "Commercial licence"),
  sample("pt-BR", "Brazilian Portuguese, voice commands", 64, 1_150),
  sample("es-MX", "Mexican Spanish, conversations", 180, 132),
  sample("yo-NG", "Yoruba, read sentences", 88, 95),
  sample("ar-EG", "Egyptian Arabic, conversations", 105, 76, "Commercial licence"),
];
