import { nameKey } from './memory-text.js'

/** Matches "Ana said, …" and "Ana Maria: …", as transcripts are written. */
const SPEAKER_LABEL = /^(\p{Lu}[\p{L}\p{M}'\u2019-]{0,40}(?: \p{Lu}[\p{L}\p{M}'\u2019-]{0,40}){0,2})(?: said\b|: )/u

/**
 * The author of a memory's words; `name` is a name key. What looks like a speaker's label need not be one; an agent is
 * certain.
 */
export interface Author {
  readonly name: string
  readonly isAgent: boolean
}

/** Returns the speaker that the text begins with, else the agent that wrote it. */
export function authorOf(content: string, agentId: string | null): Author | null {
  const speaker = SPEAKER_LABEL.exec(content)?.[1]
  if (speaker !== undefined) return { name: nameKey(speaker), isAgent: false }
  return agentId === null ? null : { name: nameKey(agentId), isAgent: true }
}
