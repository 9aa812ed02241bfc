/** Longest texts of a skill in UTF-8 bytes; those of its description and its content are settings. */
export const MOST_SKILL_BYTES = { name: 200, domain: 100, goal: 1_000, summary: 2_000, tag: 100 } as const
