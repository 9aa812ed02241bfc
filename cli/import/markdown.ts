import { constants } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { parse, Parser } from 'yaml'
import { isBlank } from '../../domain/text/characters.js'
import { CommandError } from '../failure.js'
import { addMarks } from './note-marks.js'
import { LeftOut, memoriesOf, type Found, type SharedFields } from './source.js'

const MOST_BYTES = 16 * 1024 * 1024
/** The metadata of a memory, which front matter becomes, has 16 KiB, other fields among them. */
const MOST_FRONT_MATTER = 15 * 1024
const MOST_LEVELS = 100

/**
 * Yields the Markdown notes of a folder by their paths, or the one note that `root` is. Hidden files and folders are
 * left out, and so are links, which may lead out of the folder. Throws CommandError where `root` cannot be read.
 */
export async function* readNotes(root: string, shared: SharedFields): AsyncGenerator<Found, void, undefined> {
  const found = await stat(root).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${root} cannot be read (${error.code ?? error.message}).`)
  })
  const names = found.isDirectory() ? notesIn(root, '') : [path.basename(root)]
  const folder = found.isDirectory() ? root : path.dirname(root)
  for await (const name of names) yield await readNote(path.join(folder, name), name, shared)
}

async function* notesIn(root: string, folder: string): AsyncGenerator<string, void, undefined> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new CommandError(`${path.join(root, folder)} cannot be read (${error.code ?? error.message}).`)
    },
  )
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue
    const name = path.posix.join(folder, entry.name)
    if (entry.isDirectory()) yield* notesIn(root, name)
    else if (entry.isFile() && /\.(md|markdown)$/i.test(entry.name)) yield name
  }
}

async function readNote(file: string, place: string, shared: SharedFields): Promise<Found> {
  try {
    return noteFound(await readText(file), place, shared)
  } catch (error) {
    if (error instanceof NoteFault) return { place, memories: [], fault: `${error.message}.` }
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    return { place, memories: [], fault: `cannot be read (${code}).` }
  }
}

class NoteFault extends Error {}

/** Opens no link, which may have taken the place of a file since it was listed, and waits for no writer of a pipe. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Returns the text of a file that is no link. Throws NoteFault, and errors of the system. */
async function readText(file: string): Promise<string> {
  const handle = await open(file, OPEN_FLAGS)
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw new NoteFault('is no regular file')
    if (found.size > MOST_BYTES) throw new NoteFault(`is larger than ${MOST_BYTES / 1024 / 1024} MiB`)
    return new TextDecoder('utf-8', { fatal: true }).decode(await handle.readFile())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new NoteFault('is not UTF-8')
    throw error
  } finally {
    await handle.close()
  }
}

function noteFound(text: string, place: string, shared: SharedFields): Found {
  const { fields, body, warning } = splitFrontMatter(text)
  const leftOut = new LeftOut()
  if (isBlank(body)) {
    leftOut.add('notes without a text')
    return { place, memories: [], leftOut }
  }
  const memories = addMarks(noteMemories({ fields, body }, place, shared), body, leftOut)
  return {
    place,
    memories,
    ...(warning !== undefined && { warning }),
    ...(leftOut.counts.size > 0 && { leftOut }),
  }
}

function noteMemories({ fields, body }: Note, place: string, shared: SharedFields) {
  const { title, tags, date, created, ...others } = fields
  const { name } = path.parse(place)
  const since = dateOf(date) ?? dateOf(created) ?? dateOf(NAMED_DAY.exec(name)?.[0])
  return memoriesOf(
    {
      content: body,
      title: typeof title === 'string' && !isBlank(title) ? title : (headingOf(body) ?? name),
      tags: tagsOf(tags),
      source_uri: place,
      ...(since !== null && { ts_valid_start: since.toISOString() }),
      metadata: {
        ...others,
        ...(date !== undefined && { date }),
        ...(created !== undefined && { created }),
        imported_from: 'markdown',
        path: place,
      },
    },
    shared,
  )
}

interface Note {
  readonly fields: Readonly<Record<string, unknown>>
  readonly body: string
  /** Says what is wrong with its front matter. */
  readonly warning?: string
}

/**
 * Returns the fields of a note's front matter, and its text. A note that begins with a rule (`---`) and has no second
 * one, or none that YAML reads as a map, has no front matter. Programs for notes show those whose front matter is no YAML, so they are read
 * too: with the front matter as it is written in the field `front_matter`. Aliases are expanded a hundred times at most.
 */
function splitFrontMatter(text: string): Note {
  const match = /^---[ \t]*\r?\n([^]*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|$(?![^]))/m.exec(text)
  if (match === null || match.index !== 0) return { fields: {}, body: text }
  const yaml = match[1]!
  // Blank lines after the front matter part it from the text, and are no part of it.
  const body = text.slice(match[0].length).replace(/^(?:[ \t]*\r?\n)+/, '')
  if (Buffer.byteLength(JSON.stringify(yaml)) > MOST_FRONT_MATTER)
    return { fields: {}, body, warning: 'its front matter has more than 15 KiB and is not kept.' }
  try {
    const fields = fieldsOf(yaml)
    if (fields === null) return { fields: {}, body }
    if (typeof fields !== 'object' || Array.isArray(fields)) return { fields: {}, body: text }
    return { fields: fields as Note['fields'], body }
  } catch (error) {
    const reason = (error as Error).message.split('\n')[0]!.replace(/[.:]$/, '')
    const warning = `its front matter is not YAML (${reason}), so it is kept as it is written.`
    return { fields: { front_matter: yaml }, body, warning }
  }
}

function fieldsOf(yaml: string): unknown {
  if (levelsOf(yaml) > MOST_LEVELS) throw new Error('it is nested too deeply')
  const fields: unknown = parse(yaml, { maxAliasCount: 100, logLevel: 'error' })
  // An alias within its own anchor makes a circle, which JSON refuses.
  if (Buffer.byteLength(JSON.stringify(fields) ?? '') > MOST_FRONT_MATTER)
    throw new Error('it expands to more than 15 KiB')
  return fields
}

/**
 * Returns how deeply the syntax of a YAML text is nested: twice as deep as its values. The parser calls itself for each
 * level, and where the stack ends it may be V8 that fails, with the whole process.
 */
function levelsOf(yaml: string): number {
  let deepest = 0
  const waiting: { readonly token: object; readonly level: number }[] = []
  for (const token of new Parser().parse(yaml)) waiting.push({ token, level: 0 })
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { token, level } = next
    deepest = Math.max(deepest, level)
    const { value, key, items = [] } = token as { value?: unknown; key?: unknown; items?: unknown[] }
    for (const child of [value, key, ...items])
      if (typeof child === 'object' && child !== null) waiting.push({ token: child, level: level + 1 })
  }
  return deepest
}

/** Returns the tags of a list, or of a text in which commas or spaces part them, without their `#`. */
function tagsOf(tags: unknown): string[] {
  const list = typeof tags === 'string' ? tags.split(/[,\s]+/) : Array.isArray(tags) ? tags : []
  const texts = list.filter((tag) => typeof tag === 'string' || typeof tag === 'number').map(String)
  return texts.map((tag) => tag.trim().replace(/^#/, '')).filter(Boolean)
}

/** Blocks of code, in which a line that begins with # is no heading. */
const FENCES = /^(```|~~~)[^]*?^\1/gm

function headingOf(body: string): string | null {
  // Two parts that match the same spaces would take cubic time: the end of the line is cut off by itself.
  const line = /^#[ \t]+(\S.*)$/m.exec(body.replace(FENCES, ''))?.[1]?.trimEnd() ?? ''
  let end = line.length
  while (end > 0 && line[end - 1] === '#') end--
  return line.slice(0, end).trimEnd() || null
}

const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?) ?(Z|[+-]\d\d:\d\d)?)?$/

/** The day that a file's name begins with, as that of a daily note does. */
const NAMED_DAY = /^\d{4}-\d\d-\d\d(?![\p{L}\p{N}])/u

/** Returns a date or time of ISO 8601, in UTC where it has no offset; null for anything else, and for a day that no month has. */
function dateOf(value: unknown): Date | null {
  const [, day, time = '00:00', offset = 'Z'] = (typeof value === 'string' && DATE.exec(value.trim())) || []
  const found = new Date(`${day}T${time}${offset}`)
  // JavaScript reads the 30th of February as a day of March.
  const isDay = new Date(`${day}T00:00Z`).toJSON()?.startsWith(`${day}T`) === true
  return isDay && !Number.isNaN(found.getTime()) ? found : null
}
