// A modal dialog: the browser's own <dialog>, for which the rest of the page is inert.
import { useId, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { createPortal } from "react-dom";
import { Icon } from "./icons.tsx";

interface Props {
  readonly title: string;
  /** Escape, the button to close, a click beside it. Absent: the dialog stays until it is answered. */
  readonly onClose?: (() => void) | undefined;
  readonly children: ReactNode;
  readonly wide?: boolean;
}

export function Modal({ title, onClose, children, wide = false }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const pressed = useRef<EventTarget>(null);
  const heading = useId();
  const [shown, setShown] = useState(false);
  useLayoutEffect(() => {
    const before = document.activeElement;
    const { current } = dialog;
    current?.showModal();
    setShown(true);
    return () => {
      // As long as it is open, nothing outside of it takes the focus.
      current?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return createPortal(
    <dialog
      ref={dialog}
      className={wide ? "wide" : undefined}
      aria-labelledby={heading}
      // Without it Chromium closes the dialog when Escape is pressed again, although `onCancel` prevents that.
      closedby={onClose ? undefined : "none"}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onPointerDown={(event) => (pressed.current = event.target)}
      // Text that is selected to beyond the edge ends in a click there, too.
      onClick={({ target }) => target === dialog.current && target === pressed.current && onClose?.()}
    >
      <div className="dialog-body">
        <div className="dialog-head">
          <h2 id={heading}>{title}</h2>
          {onClose && (
            <button className="bare" aria-label="Close" onClick={onClose}>
              <Icon name="close" />
            </button>
          )}
        </div>
        {/* Nothing in a dialog that is not shown yet can take the focus. */}
        {shown && children}
      </div>
    </dialog>,
    document.body,
  );
}
