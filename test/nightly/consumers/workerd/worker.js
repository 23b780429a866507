import { createSubmissionsClient, SubmissionError } from "@submissions/client";

const page = (said, status = 200) =>
  new Response(`<p role="status">${said}</p>`, { status, headers: { "content-type": "text/html" } });

export default {
  async fetch(request, { SUBMISSIONS_URL }) {
    if (request.method !== "POST") return page("nothing yet");
    const form = await request.formData();
    const inquiry = { name: form.get("name"), email: form.get("email"), selectedPackageIds: ["de-AT"] };
    try {
      const submissions = createSubmissionsClient({ url: SUBMISSIONS_URL });
      return page((await submissions.marketplace.inquiry(inquiry)).inquiryId);
    } catch (error) {
      if (!(error instanceof SubmissionError)) throw error;
      return page(error.issues[0]?.message ?? error.message, 400);
    }
  },
};
