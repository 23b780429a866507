// A button that copies a text.
import { useState, type ReactNode } from "react";

interface Props {
  readonly text: string;
  readonly className?: string;
  readonly children?: ReactNode;
}

export function CopyButton({ text, className, children = "Copy" }: Props) {
  const [copied, setCopied] = useState(false);
  // Pages over plain HTTP have no clipboard.
  if (!navigator.clipboard) return null;
  return (
    <button
      type="button"
      className={className}
      onClick={() =>
        void navigator.clipboard.writeText(text).then(
          () => setCopied(true),
          // Without the permission to write there, the text can still be copied by hand.
          () => {},
        )
      }
    >
      {copied ? "Copied" : children}
    </button>
  );
}
