// Settings: the account, shortcuts, and for admins the operators, API tokens and webhooks.
import { useMe } from "../operators.ts";
import { isAdmin, seesSubmissions } from "../roles.ts";
import { useSignOut } from "../navigation.tsx";
import { Box } from "../parts/boxes.tsx";
import { Check } from "../parts/form.tsx";
import { PageFrame } from "../parts/page.tsx";
import { useMethods } from "../sign-in/sign-in.tsx";
import { turnShortcuts, useShortcutsOn } from "../parts/shortcuts.ts";
import { Fact } from "../parts/states.tsx";
import { word } from "../words.ts";
import { Account, ChangePassword, Sessions } from "./account.tsx";
import { Operators } from "./operators.tsx";
import { SavedAnswers } from "./saved-answers.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { TagSettings } from "./tags.tsx";
import { Tokens } from "./tokens.tsx";
import { Webhooks } from "./webhooks.tsx";

export function SettingsPage() {
  const me = useMe();
  const signOut = useSignOut();
  const shortcutsOn = useShortcutsOn();
  const methods = useMethods();
  return (
    <PageFrame title="Settings">
      <Box title="Your account">
        <dl className="fields">
          <Fact label="E-mail">{me.email}</Fact>
          <Fact label="Role">{word(me.role)}</Fact>
        </dl>
        <Account />
        <Check checked={shortcutsOn} onChange={turnShortcuts}>
          Keyboard shortcuts of single keys
        </Check>
        <p className="box-foot">
          {methods?.password !== false && <ChangePassword email={me.email} />}
          <button onClick={() => void signOut(true)}>Sign out everywhere</button>
        </p>
      </Box>
      {seesSubmissions(me) && !me.mustSetSecondFactor && <SavedAnswers />}
      <Sessions />
      <SecondFactor />
      {isAdmin(me) && !me.mustSetSecondFactor && (
        <>
          <Operators me={me.email} />
          <TagSettings />
          <Tokens />
          <Webhooks />
        </>
      )}
    </PageFrame>
  );
}
