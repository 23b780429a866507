// A page with tRPC's integration of TanStack Query and the service's router type. It is compiled, and never run.
import type { AppRouter } from "@submissions/client/router";
import { useMutation } from "@tanstack/react-query";
import { createTRPCContext } from "@trpc/tanstack-react-query";

export const { TRPCProvider, useTRPC } = createTRPCContext<AppRouter>();

export function Ask() {
  const trpc = useTRPC();
  const inquiry = useMutation(trpc.marketplace.inquiry.mutationOptions());
  const ask = () => inquiry.mutate({ name: "Ann Buyer", email: "ann@example.org", selectedPackageIds: ["de-AT"] });
  const problem = inquiry.error?.data?.issues?.[0]?.message;
  return <button onClick={ask}>{inquiry.data?.inquiryId ?? problem ?? inquiry.error?.message}</button>;
}

export function Wrong() {
  const inquiry = useMutation(useTRPC().marketplace.inquiry.mutationOptions());
  // A type that cannot be found silently becomes `any`, and would accept this.
  // @ts-expect-error the list of packages is missing
  return <button onClick={() => inquiry.mutate({ name: "Ann", email: "ann@example.org" })} />;
}
