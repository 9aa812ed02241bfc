import { setTimeout as sleep } from 'node:timers/promises'
import type { Principal } from '../../domain/principal.js'
import type { SkillVersion } from '../../domain/skills/skill.js'
import type { ExternalCallContext } from '../../runtime/external-calls.js'
import { findVersion, readScanState } from '../../store/skills/read-skills.js'
import type { SkillContext } from './context.js'
import { readSettings } from '../../store/tenants/settings.js'
import { resolveAuthor } from '../access/author.js'
import { requireTrust } from '../access/trust.js'
import { readSkillWrite, type SkillWrite } from './read-skill-write.js'
import { writeSkill } from './write-skill.js'

/** Milliseconds between the looks for the verdict that the workers give: a second in all. */
const LOOKS_AFTER_MS = [50, 75, 100, 125, 150, 200, 300]

interface NamedAuthor {
  readonly agent_id?: string | null | undefined
  readonly fleet_id?: string | null | undefined
}

/** Writes a version of a skill and waits up to a second for its verdict; without one its `scan.state` is `pending`. */
export async function putSkill(
  context: SkillContext,
  principal: Principal,
  { named, ...write }: SkillWrite & { readonly named: NamedAuthor },
  waiting: ExternalCallContext,
): Promise<SkillVersion> {
  const at = new Date(context.clock.now())
  requireTrust(principal, 1)
  const settings = await context.store.read(principal, readSettings)
  const read = await readSkillWrite(write, settings, waiting.signal)
  const stored = await context.store.transact(principal, async (writer) =>
    writeSkill(writer, await resolveAuthor(writer, principal, named), read, at),
  )
  return stored.scan.state === 'pending' ? awaitVerdict(context, principal, stored, waiting) : stored
}

/** Returns the version with its verdict, or as it was stored when there is none in time, or another replaced it. */
async function awaitVerdict(
  { store }: SkillContext,
  principal: Principal,
  stored: SkillVersion,
  { signal, externalCalls }: ExternalCallContext,
): Promise<SkillVersion> {
  const { skillId, version } = stored
  for (const ms of LOOKS_AFTER_MS) {
    await externalCalls.waitFor(sleep(ms, undefined, { signal }))
    const state = await store.read(principal, (reader) => readScanState(reader, skillId, version))
    if (state === null) return stored
    if (state === 'pending') continue
    return (await store.read(principal, (reader) => findVersion(reader, skillId, version))) ?? stored
  }
  return stored
}
