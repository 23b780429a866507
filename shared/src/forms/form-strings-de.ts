// Every word that the forms show, in German.
import type { FormStrings } from "./form-strings.ts";

export const german: FormStrings = {
  lang: "de",
  fields: {
    name: { label: "Ihr Name", missing: "Bitte geben Sie Ihren Namen ein." },
    fullName: { label: "Vor- und Nachname", missing: "Bitte geben Sie Ihren Vor- und Nachnamen ein." },
    email: { label: "E-Mail-Adresse", missing: "Bitte geben Sie Ihre E-Mail-Adresse ein." },
    company: { label: "Unternehmen" },
    selectedPackageIds: {
      label: "Pakete, die Sie interessieren",
      missing: "Bitte wählen Sie mindestens ein Paket.",
    },
    position: { label: "Gewünschte Stelle", missing: "Bitte geben Sie die gewünschte Stelle ein." },
    phone: { label: "Telefon", hint: "Mit Ländervorwahl, etwa +49 30 901820" },
    availability: { label: "Verfügbarkeit", hint: "Wann Sie beginnen könnten, und mit wie vielen Stunden pro Woche" },
    accent: { label: "Akzent oder Mundart", hint: "Etwa Schwäbisch" },
    portfolioUrl: { label: "Portfolio", hint: "Beginnt mit https://" },
    resumeUrl: { label: "Link zu Ihrem Lebenslauf", hint: "Beginnt mit https://" },
    coverLetter: { label: "Anschreiben" },
    resumeFile: { label: "Lebenslauf", hint: "PDF, DOC oder DOCX, höchstens 5 MB" },
  },
  groups: { person: "Zu Ihrer Person", work: "Zur Tätigkeit", documents: "Lebenslauf und Anschreiben" },
  forms: {
    inquiry: {
      submit: "Anfrage senden",
      accepted: "Ihre Anfrage ist angekommen",
      again: "Weitere Anfrage senden",
    },
    newsletter: { submit: "Abonnieren", accepted: "Vielen Dank", again: "Weitere Adresse anmelden" },
    application: {
      submit: "Bewerbung senden",
      accepted: "Ihre Bewerbung ist angekommen",
      again: "Weitere Bewerbung senden",
    },
  },
  optional: "freiwillig",
  problems: "Bitte prüfen Sie Ihre Angaben",
  trap: "Dieses Feld bitte leer lassen",
  packagesTyped: "Kennungen der Pakete, eine je Zeile",
  packagesLoading: "Die Pakete werden geladen …",
  packagesFailed: "Die Liste der Pakete konnte nicht geladen werden.",
  reference: "Ihr Aktenzeichen",
  referenceHint: "Bitte nennen Sie es, wenn Sie uns schreiben.",
  fileChoose: "Datei auswählen",
  fileDrop: "oder hier ablegen",
  fileRemove: "{name} entfernen",
  fileEmpty: "Diese Datei ist leer.",
  fileTooLarge: "Diese Datei hat {size}; höchstens 5 MB können gesendet werden.",
  fileKind: "Der Lebenslauf muss eine PDF-, DOC- oder DOCX-Datei sein.",
  fileExtension: "Der Name dieser Datei endet auf {extension}, aber sie ist eine {kind}-Datei.",
  filesMany: "Nur eine Datei kann gesendet werden.",
  sending: "Wird gesendet …",
  checking: "Es wird geprüft, dass hier kein Programm sendet …",
  uploading: "Wird gesendet, {percent} %",
  uploaded: "Gesendet. Warten auf die Antwort …",
  cancel: "Abbrechen",
  cancelled: "Abgebrochen. Ihre Angaben sind noch da.",
  retry: "Erneut versuchen",
  offline: "Sie sind offline. Ihre Angaben sind noch da; versuchen Sie es erneut, sobald Sie verbunden sind.",
  online: "Sie sind wieder verbunden und können jetzt senden.",
  unreachable:
    "Wir waren nicht zu erreichen; ob die Sendung angekommen ist, ist ungewiss. Ihre Angaben sind noch da, und ein neuer Versuch sendet sie nicht doppelt.",
  busy: "Im Augenblick kommen zu viele Anfragen. Es wurde nichts gesendet, und Ihre Angaben sind noch da. Bitte versuchen Sie es gleich noch einmal.",
  busyFor:
    "Im Augenblick kommen zu viele Anfragen. Es wurde nichts gesendet, und Ihre Angaben sind noch da. Bitte versuchen Sie es in {wait} noch einmal.",
  unavailable:
    "Im Augenblick können wir nichts annehmen. Es wurde nichts gesendet, und Ihre Angaben sind noch da. Bitte versuchen Sie es gleich noch einmal.",
  failed:
    "Bei uns ist etwas schiefgegangen. Ihre Angaben sind noch da, und ein neuer Versuch sendet sie nicht doppelt.",
  requestId: "Wenn Sie uns danach fragen, nennen Sie bitte {id}.",
  messages: {
    "This field is required.": "Bitte füllen Sie dieses Feld aus.",
    "This field must be one text.": "Hier gehört genau ein Text hin.",
    "Control characters are not allowed.": "Steuerzeichen sind nicht erlaubt.",
    "Too many combining marks.": "Zu viele kombinierende Zeichen.",
    "At most # characters.": "Höchstens # Zeichen.",
    "A name cannot contain a web address.": "Ein Name kann keine Webadresse enthalten.",
    "Enter one e-mail address, like name@example.org.":
      "Bitte geben Sie eine E-Mail-Adresse ein, etwa name@example.org.",
    "Enter a web address that starts with http:// or https://.":
      "Bitte geben Sie eine Webadresse ein, die mit http:// oder https:// beginnt.",
    "Enter a telephone number.": "Bitte geben Sie eine Telefonnummer ein.",
    "Select at least one package.": "Bitte wählen Sie mindestens ein Paket.",
    "Select at most # packages.": "Bitte wählen Sie höchstens # Pakete.",
    "“…” is not a package we offer.": "„…“ gehört nicht zu unseren Paketen.",
    "Thank you. We have your inquiry and will answer by e-mail.":
      "Vielen Dank. Wir haben Ihre Anfrage und antworten per E-Mail.",
    "Thank you. We have your application and will answer by e-mail.":
      "Vielen Dank. Wir haben Ihre Bewerbung und antworten per E-Mail.",
    "Please check the highlighted fields.": "Bitte prüfen Sie die hervorgehobenen Felder.",
  },
};
