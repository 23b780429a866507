// All texts of the forms in German, but for those of the tables. Loaded by pages in German only, and alone: it must not
// import anything that the forms' script holds.
import type { LanguageStrings } from "./form-strings.ts";

/** The German texts. */
export const german: LanguageStrings = {
  lang: "de",
  groups: { person: "Zu Ihrer Person", work: "Zur Tätigkeit", documents: "Lebenslauf und Anschreiben" },
  optional: "freiwillig",
  problems: "Bitte prüfen Sie Ihre Angaben",
  trap: "Dieses Feld bitte leer lassen",
  packagesTyped: "Kennungen der Pakete, eine in jeder Zeile",
  privacy: "Mit dem Absenden stimmen Sie zu, dass wir Ihre Angaben so verwenden, wie es in unserer {notice} steht.",
  privacyNotice: "Datenschutzerklärung",
  packagesLoading: "Die Pakete werden geladen …",
  packagesFailed: "Die Liste der Pakete konnte nicht geladen werden.",
  reference: "Ihr Aktenzeichen",
  referenceHint: "Bitte nennen Sie es, wenn Sie uns schreiben.",
  copy: "Kopieren",
  copied: "Kopiert",
  sentTo: "Wir haben an {email} geschrieben. Falsche Adresse?",
  linkSentTo: "Wir haben einen Link an {email} gesendet. Falsche Adresse?",
  openLink: "Öffnen Sie den Link, um das Abonnement zu bestätigen.",
  changeAddress: "Ändern",
  suggestion: "Meinten Sie {email}?",
  length: "{count} von {max} Zeichen",
  fileChoose: "Datei auswählen",
  fileDrop: "oder hier ablegen",
  fileRemove: "{name} entfernen",
  fileEmpty: "Diese Datei ist leer.",
  fileTooLarge: "Diese Datei hat {size}; höchstens 5 MB können gesendet werden.",
  fileKind: "Der Lebenslauf muss eine PDF-, DOC- oder DOCX-Datei sein.",
  fileExtension: "Der Name dieser Datei endet auf .{extension}, aber sie ist eine {kind}-Datei.",
  fileUnreadable: "Diese Datei konnte nicht gelesen werden. Bitte wählen Sie sie noch einmal.",
  filesMany: "Nur eine Datei kann gesendet werden.",
  sending: "Wird gesendet …",
  checking: "Prüfung, ob Sie ein Mensch sind …",
  uploaded: "Gesendet. Warten auf die Antwort …",
  offline: "Sie sind offline. Das Formular wird gesendet, sobald Sie wieder verbunden sind.",
  cancel: "Abbrechen",
  cancelled: "Abgebrochen. Falls es schon angekommen war, wird es bei einem neuen Versuch nicht doppelt gesendet.",
  retry: "Erneut versuchen",
  notSent: "Ihr Formular wurde nicht gesendet",
  unconfirmed: "Wir wissen nicht sicher, ob Ihr Formular gesendet wurde",
  unreachable: "Wir waren nicht zu erreichen.",
  busy: "Im Augenblick kommen zu viele Einsendungen.",
  unavailable: "Im Augenblick können wir nichts annehmen.",
  failed: "Bei uns ist etwas schiefgegangen.",
  kept: "Ihre Angaben sind noch da.",
  uncertain: "Ihre Angaben sind noch da, und ein neuer Versuch sendet sie nicht doppelt.",
  again: "Bitte versuchen Sie es {wait} noch einmal.",
  soon: "gleich",
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
      "Bitte geben Sie eine Adresse wie https://example.org ein, oder lassen Sie das Feld leer.",
    "A web address cannot contain spaces. Write %20 in their place.":
      "Eine Webadresse kann keine Leerzeichen enthalten. Schreiben Sie %20 an ihrer Stelle.",
    "This web address has no valid host name.": "In dieser Webadresse fehlt ein gültiger Name des Servers.",
    "A web address cannot contain a user name or a password. Leave out what stands before the @.":
      "Eine Webadresse kann keinen Benutzernamen und kein Kennwort enthalten. Lassen Sie weg, was vor dem @ steht.",
    "Enter a telephone number.": "Bitte geben Sie eine Nummer wie +49 30 901820 ein, oder lassen Sie das Feld leer.",
    "Select at least one package.": "Bitte wählen Sie mindestens ein Paket.",
    "Select at most # packages.": "Bitte wählen Sie höchstens # Pakete.",
    "“…” is not a package we offer.": "„…“ gehört nicht zu unseren Paketen.",
    "Thank you for subscribing. Please look into your inbox: the welcome e-mail holds a link to confirm your address.":
      "Vielen Dank. In der E-Mail, die Sie erhalten, finden Sie einen Link, mit dem Sie das Abonnement bestätigen.",
    "Thank you for subscribing. Please look into your inbox for the welcome e-mail.":
      "Vielen Dank für Ihr Abonnement. In Ihrem Postfach finden Sie die erste E-Mail.",
    "We could not verify that you are human. Please try again.":
      "Wir konnten nicht prüfen, ob Sie ein Mensch sind. Bitte versuchen Sie es noch einmal.",
    "Submissions from pages of other websites are not accepted.":
      "Von den Seiten anderer Websites nehmen wir nichts an.",
    "Please check the highlighted fields.": "Bitte prüfen Sie die hervorgehobenen Felder.",
    "This field is too long.": "Dieses Feld ist zu lang.",
    "A field of the form is too large.": "Ein Feld ist zu groß.",
    "The request is too large.": "Die Sendung ist zu groß.",
    "The request took too long to arrive.": "Das Senden hat zu lange gedauert.",
    "This submission is still being processed. Please wait for its answer.":
      "Diese Sendung wird schon bearbeitet. Bitte warten Sie auf die Antwort.",
    "Send one resume only.": "Bitte senden Sie nur einen Lebenslauf.",
    "The file name holds control characters.": "Der Dateiname enthält Steuerzeichen.",
    "The file is empty.": "Die Datei ist leer.",
    "The resume is larger than 5 MiB.": "Der Lebenslauf ist größer als 5 MB.",
    "The resume must be a PDF, DOC or DOCX file.": "Der Lebenslauf muss eine PDF-, DOC- oder DOCX-Datei sein.",
    "Only PDF, DOC or DOCX files are accepted.": "Nur PDF-, DOC- und DOCX-Dateien werden angenommen.",
    "Only PDF, DOC or DOCX files are accepted; this is a file of another kind.":
      "Nur PDF-, DOC- und DOCX-Dateien werden angenommen; diese Datei ist von anderer Art.",
    "Only PDF, DOC or DOCX files are accepted; this is a file of another program.":
      "Nur PDF-, DOC- und DOCX-Dateien werden angenommen; diese Datei ist von einem anderen Programm.",
    "The file is a PDF but its name does not end in .pdf.":
      "Die Datei ist eine PDF-Datei, aber ihr Name endet nicht auf .pdf.",
    "The file is a DOC but its name does not end in .doc.":
      "Die Datei ist eine DOC-Datei, aber ihr Name endet nicht auf .doc.",
    "The file is a DOCX but its name does not end in .docx.":
      "Die Datei ist eine DOCX-Datei, aber ihr Name endet nicht auf .docx.",
    "The PDF is incomplete or damaged: its end is missing.":
      "Die PDF-Datei ist unvollständig oder beschädigt: Ihr Ende fehlt.",
    "The DOC file is incomplete or damaged.": "Die DOC-Datei ist unvollständig oder beschädigt.",
    "The DOCX file is incomplete or damaged.": "Die DOCX-Datei ist unvollständig oder beschädigt.",
    "The DOCX file is too large once unpacked.": "Die DOCX-Datei ist ausgepackt zu groß.",
    "The document is protected by a password. Please send it without one.":
      "Das Dokument ist mit einem Kennwort geschützt. Bitte senden Sie es ohne.",
    "Word files with macros are not accepted. Please send the document as PDF or as DOCX without macros.":
      "Word-Dateien mit Makros werden nicht angenommen. Bitte senden Sie das Dokument als PDF oder als DOCX ohne Makros.",
    "Word templates are not accepted. Please save the document as DOCX or PDF.":
      "Word-Vorlagen werden nicht angenommen. Bitte speichern Sie das Dokument als DOCX oder PDF.",
  },
};
