// The field of the resume: a file is checked as soon as it is chosen, or dropped anywhere on the form.
import type { Issue } from "@submissions/shared/faults";
import type { FormStrings } from "@submissions/shared/forms/form-strings";
import { checkResume } from "./check-resume.ts";
import type { FormView } from "./form-view.ts";

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

/** Removes the chosen file. */
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
