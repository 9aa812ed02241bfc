import { nameKey } from './memory-text.js'

/** "Ana said, …" and "Ana Maria: …", as transcripts are written. */
const LABEL = /^(\p{Lu}[\p{L}\p{M}'\u2019-]{0,40}(?: \p{Lu}[\p{L}\p{M}'\u2019-]{0,40}){0,2})(?: said\b|: )/u

/** Whose words a memory holds; `name` is a name key. What stands like a speaker's label need not be one; an agent is sure. */
export interface Author {
  readonly name: string
  readonly isAgent: boolean
}

/** The speaker that the text names first, else the agent that wrote it. */
export function authorOf(content: string, agentId: string | null): Author | null {
  const speaker = LABEL.exec(content)?.[1]
  if (speaker !== undefined) return { name: nameKey(speaker), isAgent: false }
  return agentId === null ? null : { name: nameKey(agentId), isAgent: true }
}
