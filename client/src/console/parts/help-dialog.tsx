// The list of keyboard shortcuts.
import { Modal } from "./modal.tsx";
import { shortcutHelp, turnShortcuts, useShortcutsOn } from "./shortcuts.ts";

export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const on = useShortcutsOn();
  return (
    <Modal title="Keyboard shortcuts" onClose={onClose}>
      <dl className="keys">
        {shortcutHelp.map(([keys, what]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input type="checkbox" checked={on} onChange={(event) => turnShortcuts(event.target.checked)} />
        Shortcuts are on
      </label>
    </Modal>
  );
}
