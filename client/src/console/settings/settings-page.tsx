// Settings, in sections: you; for those who see submissions answers; for admins the team, tags, and what developers need.
import type { ReactNode } from "react";
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
  const isFree = !me.mustSetSecondFactor;
  const sections: readonly (readonly [title: string, content: ReactNode])[] = [
    ["You", <You key="you" />],
    ...(isFree && isAdmin(me) ? [["Team", <Operators key="team" me={me.email} />] as const] : []),
    ...(isFree && seesSubmissions(me) ? [["Answers and tags", <AnswersAndTags key="answers" />] as const] : []),
    ...(isFree && isAdmin(me) ? [["Developers", <Developers key="developers" />] as const] : []),
  ];
  return (
    <PageFrame title="Settings">
      {sections.length > 1 && (
        <nav className="tabs" aria-label="Sections of the settings">
          {sections.map(([title]) => (
            <a
              key={title}
              className="tab"
              href={`#${idOf(title)}`}
              onClick={(event) => {
                // The fragment of the address is the search of the inbox.
                event.preventDefault();
                const section = document.getElementById(idOf(title));
                section?.scrollIntoView();
                section?.focus({ preventScroll: true });
              }}
            >
              {title}
            </a>
          ))}
        </nav>
      )}
      {sections.map(([title, content]) => (
        <section key={title} id={idOf(title)} tabIndex={-1} className="settings-section">
          <h2>{title}</h2>
          {content}
        </section>
      ))}
    </PageFrame>
  );
}

const idOf = (title: string): string => title.toLowerCase().replaceAll(" ", "-");

function You() {
  const me = useMe();
  const signOut = useSignOut();
  const shortcutsOn = useShortcutsOn();
  const methods = useMethods();
  return (
    <>
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
      <Sessions />
      <SecondFactor />
    </>
  );
}

function AnswersAndTags() {
  const me = useMe();
  return (
    <>
      <SavedAnswers />
      {isAdmin(me) && <TagSettings />}
    </>
  );
}

const Developers = () => (
  <>
    <Tokens />
    <Webhooks />
  </>
);
