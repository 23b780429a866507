// A secret that the server shows only once, to be copied.
import { CopyButton } from "../parts/copy-button.tsx";

interface Props {
  readonly label: string;
  readonly text: string;
  readonly onDone: () => void;
}

export function ShownOnce({ label, text, onDone }: Props) {
  return (
    <>
      <input
        aria-label={label}
        className="secret"
        readOnly
        value={text}
        onFocus={({ target }) => target.select()}
        autoFocus
      />
      <div className="dialog-foot">
        <CopyButton text={text} />
        <button type="button" className="primary" onClick={onDone}>
          Close
        </button>
      </div>
    </>
  );
}
