// A guard of a procedure is asked however the procedure is called: through REST, through typed RPC, and by tRPC's own caller.
import { faults } from "@submissions/shared/faults";
import { expect, test } from "vitest";
import { Fault } from "../../../server/src/fault.ts";
import { faultOf } from "../../../server/src/rpc/failure.ts";
import type { Context } from "../../../server/src/rpc/procedure.ts";
import { procedures } from "../../../server/src/rpc/procedures.ts";
import { routerOf } from "../../../server/src/rpc/router.ts";
import { applicant, buyer, doors, form, json, pdf, sendBatch } from "../../support/doors.ts";
import { startService } from "../../support/service.ts";

/** The procedures with a guard that refuses while it is told to, and the contexts that it was asked with. */
function guarded() {
  const asked: { readonly context: Context; readonly input: unknown }[] = [];
  const state = { refuses: true };
  const guard = async (context: Context, input: unknown) => {
    asked.push({ context, input });
    if (state.refuses) throw new Fault("consoleOnly");
  };
  const list = procedures.map((one): (typeof procedures)[number] => ({ ...one, guards: [guard] }));
  return { list, asked, state };
}

test("a guard that refuses is asked at both doors and by tRPC's caller, and nothing is stored", async () => {
  const { list, asked, state } = guarded();
  await using service = await startService({ procedures: list });
  const ways = [
    ...doors.map((door) => async () => {
      const { status, fault } = await door.send(service, "marketplace.inquiry", json(buyer));
      return { status, code: fault?.code };
    }),
    async () => {
      const [{ error }] = (await (await sendBatch(service, ["marketplace.inquiry"], [buyer])).json()) as [
        { error?: { data: { httpStatus: number; code: string } } },
      ];
      return { status: error?.data.httpStatus ?? 200, code: error?.data.code };
    },
    async () => {
      // The context of a call that came through a door: its store is that of the service.
      const { context } = asked[0]!;
      try {
        await routerOf(list).createCaller(context).marketplace.inquiry(buyer);
        return { status: 200, code: undefined };
      } catch (error) {
        const { status, code } = faults[faultOf(error).fault];
        return { status, code };
      }
    },
  ];
  for (const [number, way] of ways.entries()) {
    expect(await way()).toEqual({ status: 403, code: "FORBIDDEN" });
    expect(asked[number]?.input).toEqual(buyer);
  }
  for (const door of doors) {
    const { status } = await door.send(service, "applications.submit", form({ ...applicant, resumeFile: pdf() }));
    expect(status).toBe(403);
  }
  expect(await service.stored()).toEqual({ inquiries: [], applications: [], subscribers: [] });
  expect(await service.mails()).toEqual([]);
  expect(await service.files("resumes")).toEqual([]);

  // The same calls are stored when the guard lets them pass.
  state.refuses = false;
  for (const way of ways) expect((await way()).status).toBe(200);
  expect((await service.stored()).inquiries).toHaveLength(ways.length);
});

test("an input that is refused reaches no guard", async () => {
  const { list, asked } = guarded();
  await using service = await startService({ procedures: list });
  for (const door of doors) expect((await door.send(service, "marketplace.inquiry", json({}))).status).toBe(400);
  expect(asked).toEqual([]);
});
