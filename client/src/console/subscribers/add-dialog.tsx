// Adds one subscriber, with a proof of consent or without.
import { trpc } from "../calls.ts";
import { FormDialog } from "../parts/dialogs.tsx";
import { Field } from "../parts/form.tsx";
import { useChange } from "../parts/use-change.ts";

export function AddDialog({ onClose }: { readonly onClose: () => void }) {
  const add = useChange(trpc.subscribers.add, {
    said: ({ status }, { email }) =>
      status === "active" ? `${email} is subscribed.` : `${email} gets a mail to confirm the subscription.`,
    reads: [trpc.subscribers],
    onDone: onClose,
  });
  return (
    <FormDialog
      title="Add a subscriber"
      word="Add"
      call={add}
      onSubmit={(text) =>
        add.mutate({
          email: text("email").trim(),
          source: text("source").trim(),
          consentText: text("consentText").trim(),
          consentAt: text("consentAt"),
        })
      }
      onClose={onClose}
    >
      <Field label="E-mail address" name="email" type="email" required maxLength={254} autoFocus />
      <Field label="Source" isOptional name="source" maxLength={64} placeholder="trade fair 2026" />
      <label>
        Proof of consent <span className="quiet">(optional)</span>
        <textarea name="consentText" rows={2} maxLength={2_000} placeholder="What the person agreed to" />
      </label>
      <Field label="Given on" isOptional name="consentAt" type="date" />
      <p className="quiet small">
        With text and day of the consent, the address is subscribed at once. Without, it gets a mail to confirm.
      </p>
    </FormDialog>
  );
}
