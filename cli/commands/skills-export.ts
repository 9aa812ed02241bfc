import { mkdir } from 'node:fs/promises'
import { counted } from '../../runtime/counted.js'
import { CommandError } from '../failure.js'
import { printable } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import { applyPlan } from '../skills/apply.js'
import { createSkillCatalogue } from '../skills/catalogue.js'
import { readDirectoryState } from '../skills/directory-state.js'
import { describeFileError, isFileError } from '../skills/file-errors.js'
import { planChanges } from '../skills/plan.js'
import { problemsOf } from '../skills/report.js'
import { tenantOf } from './tenant.js'

export interface ExportOptions {
  readonly tenant?: string
  readonly fleet?: string
}

/**
 * Writes each active skill as a folder of its own into a directory. One that cannot be written, or whose folder stands there already, is left
 * out, and said; an error of the disk leaves all of them out. Resolves to the exit code.
 */
export async function exportSkills(service: ServiceClient, directory: string, options: ExportOptions): Promise<number> {
  const tenantId = await tenantOf(service, options)
  const catalogue = createSkillCatalogue(service, { tenantId, fleetId: options.fleet })
  const listing = await catalogue.list(new Map())
  if (!listing.isComplete) throw new CommandError('the catalogue changes too fast to be listed; try again.')
  try {
    await mkdir(directory, { recursive: true })
    const state = await readDirectoryState(directory)
    const plan = planChanges({ ...listing, isComplete: false }, new Map(), { mode: 'additive', force: false })
    const writes = plan.writes.filter(({ folder }) => !state.has(folder))
    const present = plan.writes.filter(({ folder }) => state.has(folder))
    const faults = await applyPlan(directory, { ...plan, writes }, { readFile: catalogue.readFile, marks: false })
    const refusals = [...plan.refusals, ...faults]
    for (const problem of problemsOf({ ...plan, refusals })) console.error(`cairn: ${printable(problem)}`)
    for (const { folder } of present)
      console.error(`cairn: ${printable(folder)} stands there already: remove it first.`)
    console.log(
      printable(
        `${counted(writes.length - faults.length, 'skill')} written to ${directory}, ${present.length} left alone.`,
      ),
    )
    return present.length + refusals.length > 0 ? 1 : 0
  } catch (error) {
    if (isFileError(error)) throw new CommandError(describeFileError(error))
    throw error
  }
}
