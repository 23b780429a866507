// What a form sent beside the documented fields: names and texts are a stranger's.
import type { SubmissionDetail } from "@submissions/shared/console";
import { Box } from "../parts/boxes.tsx";
import { Fact } from "../parts/states.tsx";

export const MoreFields = ({ detail: { more } }: { readonly detail: Pick<SubmissionDetail, "more"> }) =>
  more && (
    <Box title="Further fields">
      <dl className="fields">
        {Object.entries(more).map(([name, text]) => (
          <Fact key={name} label={name}>
            <span className="letter">{text}</span>
          </Fact>
        ))}
      </dl>
    </Box>
  );
