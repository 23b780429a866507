// A subscription from the first mail to the last, through the links of the mails.
import { describe, expect, test } from "vitest";
import { MovableClock } from "../../support/movable-clock.ts";
import { startService } from "../../support/service.ts";
import { open, press, statusOf, subscribe, subscriber, welcomed, welcomes } from "../../support/newsletter/reader.ts";

const email = "reader@example.org";

describe("under double opt-in", () => {
  test("goes from pending to active to unsubscribed, and back only by a new mail's link", async () => {
    const clock = new MovableClock();
    await using service = await startService({ clock });
    const first = await welcomed(service, email);
    expect(await statusOf(service, email)).toBe("pending");

    const confirmed = await press(first.confirm!);
    expect(confirmed).toMatchObject({ status: 200, text: expect.stringContaining("You are subscribed") });
    expect(await subscriber(service, email)).toMatchObject({ status: "active", confirmedAt: expect.any(Number) });

    const left = await press(first.unsubscribe);
    expect(left).toMatchObject({ status: 200, text: expect.stringContaining("You are unsubscribed") });
    expect(await subscriber(service, email)).toMatchObject({ status: "unsubscribed" });

    // The link of the first mail has not expired, but it no longer works.
    expect(await open(first.confirm!)).toMatchObject({ status: 404 });
    expect(await open(first.confirm!, { method: "POST" })).toMatchObject({ status: 404 });
    expect(await statusOf(service, email)).toBe("unsubscribed");

    clock.advance(1);
    await subscribe(service, email);
    const [, second] = await welcomes(service, email, 2);
    expect(await statusOf(service, email)).toBe("unsubscribed");
    expect(await press(second!.confirm!)).toMatchObject({ status: 200 });
    expect(await subscriber(service, email)).toMatchObject({ status: "active", unsubscribedAt: null });
    // Unsubscribe links always work, those of the first mail too.
    expect(await press(first.unsubscribe)).toMatchObject({ status: 200 });
    expect(await statusOf(service, email)).toBe("unsubscribed");
  });
});
