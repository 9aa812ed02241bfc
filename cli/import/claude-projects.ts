import type { OtherFiles } from './chat-export.js'
import { timeOf } from './conversation.js'
import type { ExportFile } from './export-files.js'
import { isObject, type JsonObject, listOf, member, textOf } from './json.js'
import { valuesIn } from './json-stream.js'
import { type Found, LeftOut, memoriesOf, type SharedFields } from './source.js'

/** Matches files of what Claude remembers and of projects: a list in one file or, in newer exports, a file for each of them. */
const NAMES = /(^|\/)(memories|projects)(\.json|\/[^/]+\.json)$/

/**
 * Returns what reads the files beside the conversations of Claude's export. What Claude remembers of its user and of each project is a memory,
 * and so is each document of a project. Left out are the instructions and descriptions of projects, and the project that Claude shows as a
 * sample. The format is described in docs/import.md.
 */
export function claudeProjects(shared: SharedFields): OtherFiles {
  return { names: NAMES, read: (file) => foundIn(file, shared) }
}

async function* foundIn(file: ExportFile, shared: SharedFields): AsyncGenerator<Found, void, undefined> {
  const isOfMemories = NAMES.exec(file.path)![2] === 'memories'
  const called = isOfMemories ? 'memory' : 'project'
  const wanted = { ofArray: ['$.*'], ofObject: ['$'], expected: 'a list or an object', called }
  let number = 0
  for await (const { value } of valuesIn(file, wanted)) {
    const place = `${called} ${++number} of ${file.path}`
    if (!isObject(value)) yield { place, memories: [], fault: 'is not a JSON object.' }
    else yield isOfMemories ? remembered(value, place, shared) : documentsOf(value, place, shared)
  }
}

function remembered(value: JsonObject, place: string, shared: SharedFields): Found {
  const leftOut = new LeftOut()
  leftOut.add('files of Claude’s memory', listOf(value, 'memory_files').length)
  const ofProjects = member(value, 'project_memories')
  const own = textOf(value, 'conversations_memory')
  const texts = [
    ...(own === null ? [] : [{ content: own, title: 'What Claude remembers', about: {} }]),
    ...Object.entries(isObject(ofProjects) ? ofProjects : {}).flatMap(([project_id, content]) => {
      if (typeof content === 'string')
        return { content, title: 'What Claude remembers of a project', about: { project_id } }
      leftOut.add('memories that are no text')
      return []
    }),
  ]
  const memories = texts.flatMap(({ about, ...text }) =>
    memoriesOf({ ...text, tags: [], metadata: { imported_from: 'claude', ...about } }, shared),
  )
  return { place, memories, leftOut }
}

function documentsOf(project: JsonObject, place: string, shared: SharedFields): Found {
  const leftOut = new LeftOut()
  const [id, name] = [textOf(project, 'uuid'), textOf(project, 'name')]
  if (member(project, 'is_starter_project') === true) {
    leftOut.add('sample projects')
    return { place, memories: [], leftOut }
  }
  if (textOf(project, 'prompt_template') !== null) leftOut.add('instructions of projects')
  if (textOf(project, 'description') !== null) leftOut.add('descriptions of projects')
  const memories = listOf(project, 'docs').flatMap((document) => {
    const content = isObject(document) ? textOf(document, 'content') : null
    if (!isObject(document) || content === null) {
      leftOut.add('files without their text')
      return []
    }
    const time = timeOf(Date.parse(textOf(document, 'created_at') ?? ''))
    return memoriesOf(
      {
        content,
        title: textOf(document, 'filename'),
        tags: [],
        ...(id !== null && { source_uri: `https://claude.ai/project/${encodeURIComponent(id)}` }),
        ...(time !== null && { ts_valid_start: time.toISOString() }),
        metadata: {
          imported_from: 'claude',
          ...(name !== null && { project: name }),
          ...(id !== null && { project_id: id }),
        },
      },
      shared,
    )
  })
  return { place, memories, leftOut }
}
