import { Forms } from "./forms.tsx";

export const dynamic = "force-dynamic";

export default function Page() {
  return <Forms endpoint={process.env["SUBMISSIONS_URL"] ?? "http://127.0.0.1:3000"} />;
}
