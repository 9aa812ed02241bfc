import { nameKey } from './memory-text.js'

/** "Ana said, …" and "Ana Maria: …", as transcripts are written. */
const LABEL = /^(\p{Lu}[\p{L}\p{M}'\u2019-]{0,40}(?: \p{Lu}[\p{L}\p{M}'\u2019-]{0,40}){0,2})(?: said\b|: )/u

/** Whose words a memory holds, as a name key: the speaker that its text names first, else the agent that wrote it. */
export function authorOf(content: string, agentId: string | null): string | null {
  const speaker = LABEL.exec(content)?.[1] ?? agentId
  return speaker === null ? null : nameKey(speaker)
}
