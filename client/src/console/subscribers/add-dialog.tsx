// Adds one subscriber, with a proof of consent or without.
import { useMutation } from "@tanstack/react-query";
import { queryClient, trpc } from "../calls.ts";
import { FormDialog } from "../parts/dialogs.tsx";
import { textOf } from "../parts/fields.tsx";
import { useToasts } from "../parts/toasts.tsx";

/** What is shown of subscribers, to be read again after a change. */
export const readSubscribersAgain = () => queryClient.invalidateQueries({ queryKey: trpc.subscribers.pathKey() });

export function AddDialog({ onClose }: { readonly onClose: () => void }) {
  const { showToast } = useToasts();
  const add = useMutation({
    ...trpc.subscribers.add.mutationOptions(),
    onSuccess: ({ status }, { email }) => {
      onClose();
      showToast(status === "active" ? `${email} is subscribed.` : `${email} gets a mail to confirm the subscription.`);
      return readSubscribersAgain();
    },
  });
  return (
    <FormDialog
      title="Add a subscriber"
      word="Add"
      call={add}
      onSubmit={(data) => {
        const text = (name: string) => textOf(data, name).trim();
        add.mutate({
          email: text("email"),
          source: text("source"),
          consentText: text("consentText"),
          consentAt: text("consentAt"),
        });
      }}
      onClose={onClose}
    >
      <label>
        E-mail address
        <input name="email" type="email" required maxLength={254} autoFocus autoComplete="off" />
      </label>
      <label>
        Source <span className="quiet">(optional)</span>
        <input name="source" maxLength={64} autoComplete="off" placeholder="trade fair 2026" />
      </label>
      <label>
        Proof of consent <span className="quiet">(optional)</span>
        <textarea name="consentText" rows={2} maxLength={2_000} placeholder="What the person agreed to" />
      </label>
      <label>
        Given on <span className="quiet">(optional)</span>
        <input name="consentAt" type="date" />
      </label>
      <p className="quiet small">
        With text and day of the consent, the address is subscribed at once. Without, it gets a mail to confirm.
      </p>
    </FormDialog>
  );
}
