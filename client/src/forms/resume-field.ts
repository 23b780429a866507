// The field of the resume: a file is looked at as soon as it was chosen, or dropped anywhere on the form.
import type { Issue } from "@submissions/shared/faults";
import type { FormStrings } from "@submissions/shared/forms/form-strings";
import { checkResume } from "./check-resume.ts";
import type { FormView } from "./form-view.ts";

/** What is wrong with the chosen file; undefined when nothing is, or nothing was chosen. */
export async function fileIssue({ file }: FormView, strings: FormStrings): Promise<Issue | undefined> {
  const message = file && (await checkResume(file, strings));
  return message === undefined ? undefined : { path: ["resumeFile"], message };
}

/** Shows the file that was chosen, and what is wrong with it. */
export async function fileChosen(view: FormView, strings: FormStrings): Promise<void> {
  view.showFile();
  view.amend("resumeFile", await fileIssue(view, strings));
}

/** Takes the chosen file back. */
export function removeFile(view: FormView, strings: FormStrings): void {
  view.fileInput!.value = "";
  view.fileInput!.focus();
  void fileChosen(view, strings);
}

/** Something is dragged over the form, away from it, or dropped. */
export function fileDragged(event: DragEvent, view: FormView, strings: FormStrings, busy: boolean): void {
  const { dataTransfer, type } = event;
  if (!view.fileInput || !dataTransfer?.types.includes("Files")) return;
  // A file that misses its place would be opened by the browser, and the form be gone.
  event.preventDefault();
  view.draggedOver = type === "dragover";
  if (type !== "drop" || busy) return;
  if (dataTransfer.files.length !== 1)
    return view.amend("resumeFile", { path: ["resumeFile"], message: strings.filesMany });
  view.fileInput.files = dataTransfer.files;
  void fileChosen(view, strings);
}
