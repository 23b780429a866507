// The icons: strokes on a square of 20, drawn in the colour of the text. They are decoration; the words stand beside them.
import { kinds, submissionKinds, type SubmissionKind } from "@submissions/shared/kinds";

const shapes = {
  inbox:
    "M3 11.5 5.4 4.6A1.5 1.5 0 0 1 6.8 3.500h6.4a1.5 1.5 0 0 1 1.4 1.1L17 11.5v3.500a1.500 1.500 0 0 1-1.500 1.500h-11A1.500 1.500 0 0 1 3 15zm0 0h4l1 2h4l1-2h4",
  mine: "M10 10a3.25 3.25 0 1 0 0-6.500 3.250 3.250 0 0 0 0 6.500zM3.750 17a6.250 6.250 0 0 1 12.500 0",
  unassigned: "M8.500 9.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.500 16.500a6 6 0 0 1 8.500-5.400M13.500 13l4 4m0-4-4 4",
  subscribers:
    "M7.500 9.500a2.750 2.750 0 1 0 0-5.500 2.750 2.750 0 0 0 0 5.500zM2 16a5.500 5.500 0 0 1 11 0M13 4.300a2.750 2.750 0 0 1 0 4.900M15 11.300A5.500 5.500 0 0 1 18 16",
  mails: "M3 5.500h14v9.500H3zM3 6l7 5.500L17 6",
  overview: "M3.500 16.500h13M5.500 13.500v-4M10 13.500v-9M14.500 13.500v-6",
  audit:
    "M6 3.500h8A1.500 1.500 0 0 1 15.500 5v11.500h-11V5A1.500 1.500 0 0 1 6 3.500zM7.500 7.500h5M7.500 10.500h5M7.500 13.500h3",
  settings: "M3 6h7M14 6h3M3 14h3M10 14h7M12 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  search: "M9 14.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11zM13 13l4 4",
  resume: "M5.500 3h6l3.500 3.500V17H5.500zM11.500 3v3.500H15M7.750 10.500h4.500M7.750 13.500h4.500",
  close: "m5 5 10 10M15 5 5 15",
  previous: "m12 5-5 5 5 5",
  next: "m8 5 5 5-5 5",
  back: "M16.500 10h-13m5-5-5 5 5 5",
  snooze: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4l2.500 2.500",
  check: "m4 10.500 4 4 8-9",
  menu: "M3 6h14M3 10h14M3 14h14",
  warning: "M10 3.500 2.500 16.500h15zM10 8.500v3.500M10 14.300v.010",
  filter: "M3 5h14M5.500 10h9M8 15h4",
  download: "M10 3.500v9m-4-3.500 4 4 4-4M4 16.500h12",
  help: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM8 8.200a2 2 0 1 1 2.800 1.900c-.5.2-.8.6-.8 1.200v.4M10 13.900v.010",
} as const;

/** Those of submissions have the names of their kinds. */
export type IconName = keyof typeof shapes | SubmissionKind;

const paths = {
  ...shapes,
  ...Object.fromEntries(submissionKinds.map((kind) => [kind, kinds[kind].icon])),
} as Readonly<Record<IconName, string>>;

export const Icon = ({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) => (
  <svg className="icon" viewBox="0 0 20 20" width={size} height={size} aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);
