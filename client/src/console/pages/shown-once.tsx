// A secret that the server shows only once, to be copied.
import { useState } from "react";

interface Props {
  readonly label: string;
  readonly text: string;
  readonly onDone: () => void;
}

export function ShownOnce({ label, text, onDone }: Props) {
  const [copied, setCopied] = useState(false);
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
        <button
          type="button"
          onClick={() =>
            void navigator.clipboard.writeText(text).then(
              () => setCopied(true),
              // Without the permission to write there, the text can still be copied by hand.
              () => {},
            )
          }
        >
          {copied ? "Copied" : "Copy"}
        </button>
        <button type="button" className="primary" onClick={onDone}>
          Close
        </button>
      </div>
    </>
  );
}
