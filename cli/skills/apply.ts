import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { digestOf, MARKER, type Marker, SKILL_FILE } from './directory-state.js'
import { contentOf, skillFile } from './front-matter.js'
import type { Plan, SkillWrite } from './plan.js'

/** Hidden directory in a target for what is not in its place yet, or not any more. */
const STAGING = '.cairn-sync'

/** Removes what a run that was killed left behind. */
export async function removeLeftovers(directory: string): Promise<void> {
  await rm(join(directory, STAGING), { recursive: true, force: true })
}

/** A rename, and the one that reverses it. */
interface Move {
  readonly from: string
  readonly to: string
  /** A copy of the file that the rename replaces; null when it replaces nothing. */
  readonly backup: string | null
}

/**
 * Makes the changes of a plan in a directory, of which this process holds the lock. Everything is written and flushed
 * before the first rename, so that a full disk changes nothing; a rename that fails is followed by the reversal of all
 * that were made. A reader sees each SKILL.md as it was or as it is to be.
 */
export async function applyPlan(directory: string, { writes, removals }: Plan): Promise<void> {
  if (writes.length + removals.length === 0) return
  const staging = join(directory, STAGING)
  await mkdir(staging)
  try {
    const moves: Move[] = []
    for (const write of writes) moves.push(...(await stageWrite(directory, staging, write)))
    for (const name of removals)
      moves.push({ from: join(directory, name), to: join(staging, `removed-${name}`), backup: null })
    await flushDirectory(staging)
    await makeMoves(moves)
    for (const { skill } of writes) await flushDirectory(join(directory, skill.slug))
    await flushDirectory(directory)
  } finally {
    await removeLeftovers(directory)
  }
}

/**
 * Writes a skill's files into the staging directory and returns the renames that put them into their places: of a whole
 * directory for a new skill; of SKILL.md and then of the marker for another.
 */
async function stageWrite(
  directory: string,
  staging: string,
  { skill, content, present }: SkillWrite,
): Promise<Move[]> {
  const folder = join(directory, skill.slug)
  const text = skillFile(skill, content ?? contentOf(await readFile(join(folder, SKILL_FILE), 'utf8')))
  const marker: Marker = { doc_id: skill.doc_id, content_hash: skill.content_hash, digest: digestOf(text) }
  const files = [
    ...(present?.digest === marker.digest ? [] : [{ name: SKILL_FILE, text, isThere: present?.skillFile === 'file' }]),
    { name: MARKER, text: `${JSON.stringify(marker)}\n`, isThere: present?.isMarked ?? false },
  ]
  if (present === null) {
    const staged = join(staging, `new-${skill.slug}`)
    await mkdir(staged)
    for (const file of files) await writeFlushed(join(staged, file.name), file.text)
    await flushDirectory(staged)
    return [{ from: staged, to: folder, backup: null }]
  }
  const moves: Move[] = []
  for (const { name, text: content, isThere } of files) {
    const from = join(staging, randomUUID())
    const to = join(folder, name)
    const backup = isThere ? `${from}.replaced` : null
    await writeFlushed(from, content)
    if (backup !== null) await copyFile(to, backup, constants.COPYFILE_EXCL)
    moves.push({ from, to, backup })
  }
  return moves
}

async function writeFlushed(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx', flush: true })
}

async function makeMoves(moves: readonly Move[]): Promise<void> {
  const made: Move[] = []
  try {
    for (const move of moves) {
      await rename(move.from, move.to)
      made.push(move)
    }
  } catch (error) {
    for (const { from, to, backup } of made.reverse()) await rename(backup ?? to, backup === null ? from : to)
    throw error
  }
}

async function flushDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
