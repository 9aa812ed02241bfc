import type { components } from '../../contract/types.js'
import { LARGEST_SHOWN_FILE, MOST_SHOWN_FILES } from '../../domain/skills/diff.js'
import { textOfFile } from '../../domain/skills/skill-files.js'
import type { ServiceClient } from '../service-client.js'

type Schemas = components['schemas']

/** Why the text of a file is not shown. */
export type Unshown = 'binary' | 'large' | 'beyond'

/** A file of a version, with its text or why that is not shown. */
export interface ShownFile {
  readonly file: Schemas['SkillFile']
  readonly text: string | { readonly unshown: Unshown }
}

/** Reads the files of a skill that nothing is served of, so that its reviewer sees them. A revision's are in its diff. */
export async function readShownFiles(
  service: ServiceClient,
  { doc_id: slug, version, active, files }: Schemas['InboxSkill'],
  { tenant_id, agentId }: { readonly tenant_id: string; readonly agentId?: string | undefined },
): Promise<ShownFile[]> {
  if (active !== null) return []
  const shown: ShownFile[] = []
  for (const [i, file] of files.entries()) {
    if (i >= MOST_SHOWN_FILES || file.size > LARGEST_SHOWN_FILE) {
      shown.push({ file, text: { unshown: i >= MOST_SHOWN_FILES ? 'beyond' : 'large' } })
      continue
    }
    const { body } = await service.request('getSkillFile', { tenant_id, slug, path: file.path, version }, { agentId })
    const text = textOfFile(Buffer.from(body as unknown as Uint8Array))
    shown.push({ file, text: text ?? { unshown: 'binary' } })
  }
  return shown
}
