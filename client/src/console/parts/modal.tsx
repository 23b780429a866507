// A modal dialog: the browser's own <dialog>, outside of the page, which is inert meanwhile.
import { useEffect, useId, useRef, type ReactNode } from "react";
import { createPortal } from "react-dom";
import { Icon } from "./icons.tsx";

const page = () => document.getElementById("root");
let open = 0;

/** Whether a dialog is open; the page's shortcuts rest meanwhile. */
export const isModalOpen = (): boolean => open > 0;

interface Props {
  readonly title: string;
  /** Escape, the button to close, a click beside it. Absent: the dialog stays until it is answered. */
  readonly onClose?: (() => void) | undefined;
  readonly children: ReactNode;
  readonly wide?: boolean;
}

export function Modal({ title, onClose, children, wide = false }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const before = document.activeElement;
    open += 1;
    page()?.setAttribute("inert", "");
    dialog.current?.showModal();
    return () => {
      open -= 1;
      if (open === 0) page()?.removeAttribute("inert");
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return createPortal(
    <dialog
      ref={dialog}
      className={wide ? "wide" : undefined}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClick={(event) => event.target === dialog.current && onClose?.()}
    >
      <div className="dialog-body">
        <header>
          <h2 id={heading}>{title}</h2>
          {onClose && (
            <button type="button" className="bare" aria-label="Close" onClick={onClose}>
              <Icon name="close" />
            </button>
          )}
        </header>
        {children}
      </div>
    </dialog>,
    document.body,
  );
}
