import type { components } from '../../contract/types.js'
import type { ServiceClient } from '../service-client.js'
import type { ShownFile } from './shown-skill.js'

type InboxSkill = components['schemas']['InboxSkill']

/** Bytes of a file that is shown, and such files of one skill: as many as a diff has. */
const LARGEST_SHOWN = 40_000
const MOST_SHOWN = 20

/** Reads the files of a skill that nothing is served of, so that its reviewer sees them. A revision's are in its diff. */
export async function readShownFiles(
  service: ServiceClient,
  { doc_id: slug, version, active, files }: InboxSkill,
  { tenant_id, agentId }: { readonly tenant_id: string; readonly agentId?: string | undefined },
): Promise<ShownFile[]> {
  if (active !== null) return []
  const shown: ShownFile[] = []
  for (const [i, file] of files.entries()) {
    if (i >= MOST_SHOWN || file.size > LARGEST_SHOWN) {
      shown.push({ file, text: null })
      continue
    }
    const { body } = await service.request('getSkillFile', { tenant_id, slug, path: file.path, version }, { agentId })
    shown.push({ file, text: textOf(body as unknown as Uint8Array) })
  }
  return shown
}

/** Returns bytes as text; null when they are none. */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
