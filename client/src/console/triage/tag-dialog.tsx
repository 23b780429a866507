// Tags of several submissions at once.
import type { InboxRow } from "@submissions/shared/console";
import { Modal } from "../parts/modal.tsx";
import { TagBox } from "../submission/tags.tsx";
import { plural } from "../words.ts";

interface Props {
  readonly rows: readonly InboxRow[];
  readonly onClose: () => void;
}

export const TagDialog = ({ rows, onClose }: Props) => (
  <Modal title={`Tags of ${plural(rows.length, "submission")}`} onClose={onClose}>
    <TagBox references={rows.map(({ reference }) => reference)} tags={[...new Set(rows.flatMap(({ tags }) => tags))]} />
  </Modal>
);
