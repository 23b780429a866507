import { createSubmissionsClient, SubmissionError } from "@submissions/client";
import { fail } from "@sveltejs/kit";

export const actions = {
  async default({ request }: { request: Request }) {
    const form = await request.formData();
    const [name, email] = [String(form.get("name")), String(form.get("email"))];
    // Not above: the build loads this file, where the setting is unknown.
    const submissions = createSubmissionsClient({ url: process.env["SUBMISSIONS_URL"]! });
    try {
      const { inquiryId } = await submissions.marketplace.inquiry({ name, email, selectedPackageIds: ["de-AT"] });
      return { said: inquiryId };
    } catch (error) {
      if (!(error instanceof SubmissionError)) throw error;
      return fail(400, { said: error.issues[0]?.message ?? error.message });
    }
  },
};
