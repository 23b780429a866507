// What the front page shows where no catalogue is set: an idea of one. It is only shown; nothing is refused because of it.
import type { PackageChoice } from "@submissions/shared/forms/form-state";

export const sampleCatalogue: readonly PackageChoice[] = [
  { id: "en-GB-scottish", title: "Scottish English, conversations" },
  { id: "en-IN-read", title: "Indian English, read sentences" },
  { id: "en-US-southern", title: "Southern US English, conversations" },
  { id: "de-AT", title: "Austrian German, conversations" },
  { id: "fr-CA", title: "Canadian French, call centre" },
  { id: "pt-BR", title: "Brazilian Portuguese, voice commands" },
  { id: "es-MX", title: "Mexican Spanish, conversations" },
  { id: "yo-NG", title: "Yoruba, read sentences" },
  { id: "ar-EG", title: "Egyptian Arabic, conversations" },
];
