// A page with react-hook-form around the hook: its problems are the form's errors. It is compiled, and never run.
import { createSubmissionsClient, type Inquiry } from "@submissions/client";
import { useSubmission } from "@submissions/client/react";
import { inquiryInput } from "@submissions/client/schemas";
import { useForm } from "react-hook-form";

const client = createSubmissionsClient({ url: "https://submissions.example.org" });

export function Ask() {
  const { errors, submit } = useSubmission("marketplace.inquiry", { client, schema: inquiryInput });
  const form = useForm<Inquiry>({ errors, defaultValues: { selectedPackageIds: ["de-AT"] } });
  return (
    <form onSubmit={form.handleSubmit(async (values) => void (await submit(values)))}>
      <input {...form.register("name")} /> {form.formState.errors.name?.message}
      <input {...form.register("email")} /> {form.formState.errors.email?.message}
    </form>
  );
}
