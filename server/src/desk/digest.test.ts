import { expect, test } from "vitest";
import { dueDay } from "./digest.ts";

const at = (text: string) => Date.parse(`2026-11-21T${text}Z`);

test("a digest is due from its minute on, to the end of its day in UTC", () => {
  expect(dueDay(at("06:59:59.999"), 420)).toBeNull();
  expect(dueDay(at("07:00:00"), 420)).toBe("2026-11-21");
  expect(dueDay(at("23:59:59.999"), 420)).toBe("2026-11-21");
  expect(dueDay(at("23:59:59.999") + 1, 420)).toBeNull();
  expect(dueDay(at("00:00:00"), 0)).toBe("2026-11-21");
});
