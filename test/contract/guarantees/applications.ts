// What the port promises about applications and what the vault asks about their resumes.
import { expect, test } from "vitest";
import { application, collect, inquiry, lease, mail, noon, reference, resume } from "../records.ts";
import type { OpenStoreUnderTest } from "../store-under-test.ts";

const bare = {
  phone: null,
  company: null,
  availability: null,
  accent: null,
  portfolioUrl: null,
  resumeUrl: null,
  coverLetter: null,
  resume: null,
} as const;

export function applicationGuarantees(open: OpenStoreUnderTest): void {
  test("tells which resumes no scanner has judged, oldest first, and keeps what one says", async () => {
    await using tested = await open();
    const { store } = tested;
    await store.acceptApplication(application(2, { receivedAt: noon + 1 }), [], lease);
    await store.acceptApplication(application(1), [], lease);
    await store.acceptApplication(application(3, { resume: null }), [], lease);
    const [first, second] = [1, 2].map((number) => ({ reference: reference("APP", number), key: resume(number).key }));
    expect(await store.unscannedResumes(10)).toEqual([first, second]);
    expect(await store.unscannedResumes(1)).toEqual([first]);
    await store.recordScan(resume(1).key, "infected");
    expect(await store.unscannedResumes(10)).toEqual([second]);
    expect(await store.findResume(reference("APP", 1))).toEqual({ ...resume(1), scan: "infected" });
  });

  test("keeps every field of an application as it was given", async () => {
    await using tested = await open();
    const given = application(1, { coverLetter: "🎙️ñ\n".repeat(5_000) });
    expect(await tested.store.acceptApplication(given, [mail()], lease)).toMatchObject({ result: "accepted" });
    expect(await collect(tested.store.exportApplications(0))).toEqual([{ ...given, status: "new" }]);
  });

  test("keeps absent fields as null", async () => {
    await using tested = await open();
    await tested.store.acceptApplication(application(1, bare), [], lease);
    expect(await collect(tested.store.exportApplications(0))).toMatchObject([bare]);
  });

  test("stores nothing under a reference that is taken, neither application nor mail", async () => {
    await using tested = await open();
    await tested.store.acceptApplication(application(1), [mail()], lease);
    const second = application(1, { resume: resume(2) });
    expect(await tested.store.acceptApplication(second, [mail()], lease)).toEqual({ result: "reference-taken" });
    expect(await tested.store.findResume(reference("APP", 1))).toEqual({ ...resume(1), scan: "unscanned" });
    expect(await tested.store.listMails({ limit: 10 })).toHaveLength(1);
  });

  test("counts the references of inquiries and applications apart", async () => {
    await using tested = await open();
    expect(await tested.store.acceptInquiry(inquiry(1), [], lease)).toMatchObject({ result: "accepted" });
    expect(await tested.store.acceptApplication(application(1), [], lease)).toMatchObject({ result: "accepted" });
  });

  test("never lets two applications share the bytes of a resume", async () => {
    await using tested = await open();
    await tested.store.acceptApplication(application(1), [], lease);
    const thief = application(2, { resume: resume(1) });
    await expect(tested.store.acceptApplication(thief, [mail()], lease)).rejects.toThrow();
    expect(await collect(tested.store.exportApplications(0))).toHaveLength(1);
    expect(await tested.store.listMails({ limit: 10 })).toEqual([]);
  });

  test("finds the resume of an application", async () => {
    await using tested = await open();
    await tested.store.acceptApplication(application(1), [], lease);
    expect(await tested.store.findResume(reference("APP", 1))).toEqual({ ...resume(1), scan: "unscanned" });
  });

  test("finds no resume where none came, nor for an unknown application", async () => {
    await using tested = await open();
    await tested.store.acceptApplication(application(1, bare), [], lease);
    expect(await tested.store.findResume(reference("APP", 1))).toBeNull();
    expect(await tested.store.findResume(reference("APP", 2))).toBeNull();
    expect(await tested.store.findResume("' OR 1=1 --")).toBeNull();
  });

  test("tells which vault keys belong to applications, of however many", async () => {
    await using tested = await open();
    await tested.store.acceptApplication(application(1), [], lease);
    await tested.store.acceptApplication(application(2, bare), [], lease);
    await tested.store.acceptApplication(application(3), [], lease);
    const asked = Array.from({ length: 40_000 }, (_, number) => resume(number).key);
    expect(await tested.store.knownResumeKeys(asked)).toEqual(new Set([resume(1).key, resume(3).key]));
    expect(await tested.store.knownResumeKeys([])).toEqual(new Set());
  });
}
