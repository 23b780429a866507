// The resume of a form: a file is checked as soon as it is chosen, or dropped anywhere on the form. Size, first bytes and name
// are looked at here; the service reads all of it and decides.
import { extensionOf } from "@submissions/shared/file-extension";
import type { FormStrings } from "@submissions/shared/forms/form-strings";
import { filled } from "@submissions/shared/forms/issue-words";
import { bytesMax } from "@submissions/shared/limits";
import { sizeIn } from "@submissions/shared/size";
import type { Issue } from "@submissions/shared/faults";
import type { FormView } from "./form-view.ts";

/** The first bytes of each kind. White space may stand before those of a PDF. */
const beginnings = [
  ["pdf", "%PDF-"],
  ["doc", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"],
  ["docx", "PK\x03\x04"],
] as const;

/** How many bytes are read. A PDF must begin within them. */
const headBytes = 1_032;

/** The problem of a file in the person's language; undefined when none is found. */
export async function checkResume(file: File, strings: FormStrings): Promise<string | undefined> {
  if (file.size === 0) return strings.fileEmpty;
  if (file.size > bytesMax.resume) return filled(strings.fileTooLarge, { size: sizeIn(strings.lang, file.size) });
  const head = await headOf(file);
  if (head === null) return strings.fileUnreadable;
  const kind = beginnings.find(([, beginning]) => head.startsWith(beginning))?.[0];
  if (kind === undefined) return strings.fileKind;
  const extension = extensionOf(file.name);
  if (extension === "" || extension === kind) return undefined;
  return filled(strings.fileExtension, { extension, kind: kind.toUpperCase() });
}

async function headOf(file: File): Promise<string | null> {
  try {
    const bytes = new Uint8Array(await file.slice(0, headBytes).arrayBuffer());
    // White space and byte order marks. The service looks closer.
    return String.fromCharCode(...bytes).replace(/^[\xEF\xBB\xBF\xFE\xFF\0\s]*(?=%PDF-)/, "");
  } catch {
    // NotReadableError, NotFoundError: the file was moved, deleted or changed after it was chosen.
    return null;
  }
}

/** The problem of the chosen file; undefined when there is none, or no file. */
export async function fileIssue({ file }: FormView, strings: FormStrings): Promise<Issue | undefined> {
  const message = file && (await checkResume(file, strings));
  return message === undefined ? undefined : { path: ["resumeFile"], message };
}

/** Shows the chosen file and its problem. */
export async function fileChosen(view: FormView, strings: FormStrings): Promise<void> {
  view.showFile();
  view.amend("resumeFile", await fileIssue(view, strings));
}

export function removeFile(view: FormView, strings: FormStrings): void {
  view.fileInput!.value = "";
  view.fileInput!.focus();
  void fileChosen(view, strings);
}

/** Files are dragged over the form, away from it, or dropped. */
export function fileDragged(event: DragEvent, view: FormView, strings: FormStrings, busy: boolean): void {
  const { dataTransfer, type } = event;
  if (!view.fileInput || !dataTransfer?.types.includes("Files")) return;
  // The browser would open a file that misses its place, and leave the page.
  event.preventDefault();
  view.draggedOver = type === "dragover";
  if (type !== "drop" || busy) return;
  if (dataTransfer.files.length !== 1)
    return view.amend("resumeFile", { path: ["resumeFile"], message: strings.filesMany });
  view.fileInput.files = dataTransfer.files;
  void fileChosen(view, strings);
}
