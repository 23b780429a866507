// Days (UTC), and how they are shown.

export const dayMs = 24 * 60 * 60 * 1000;

export const startOfDay = (at: number): number => Math.floor(at / dayMs) * dayMs;

/** `2026-11-21` */
export const shownDay = (at: number): string => new Date(at).toISOString().slice(0, 10);
