// What a form sent beside the documented fields: names and texts are a stranger's.
import type { SubmissionDetail } from "@submissions/shared/console";
import { Box } from "../parts/boxes.tsx";
import { Fact } from "../parts/states.tsx";

/** Longer texts have the whole width, below their name. In UTF-16 units. */
const besideLengthMax = 80;

export const MoreFields = ({ detail: { more } }: { readonly detail: Pick<SubmissionDetail, "more"> }) =>
  more && (
    <Box title="Further fields">
      <dl className="fields">
        {Object.entries(more).map(([name, text]) => (
          <Fact key={name} label={name}>
            {text.length > besideLengthMax ? (
              <p className="letter">{text}</p>
            ) : (
              <span className="note-text">{text}</span>
            )}
          </Fact>
        ))}
      </dl>
    </Box>
  );
