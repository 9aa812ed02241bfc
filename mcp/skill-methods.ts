import { fromJsonSchema, ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server'
import {
  RESOURCES_DIRECTORY_READ_METHOD,
  SKILLS_GET_METHOD,
  SKILLS_LIST_METHOD,
} from '@modelcontextprotocol/server/ext/skills'
import { getSkill, listSkills, readSkillDirectory, type SkillsContext } from './skills.js'

const PAGE = fromJsonSchema<{ readonly cursor?: string }>({
  type: 'object',
  properties: { cursor: { type: 'string' } },
})
const PLACE = fromJsonSchema<{ readonly uri: string; readonly cursor?: string }>({
  type: 'object',
  required: ['uri'],
  properties: { uri: { type: 'string' }, cursor: { type: 'string' } },
})
/** A skill may leave the catalogue at any moment, and is the caller's: nobody keeps an answer. */
const UNCACHED = { ttlMs: 0, cacheScope: 'private' } as const
/** Characters of a URI that a refusal repeats. */
const SHOWN_LENGTH = 200

/** Answers the methods of the protocol's skills; `answer` keeps what fails from the caller. */
export function handleSkills(
  server: Server,
  context: SkillsContext,
  answer: <T>(work: () => Promise<T>) => Promise<T>,
): void {
  server.setRequestHandler(SKILLS_LIST_METHOD, { params: PAGE }, ({ cursor } = {}) =>
    answer(async () => ({ ...(await listSkills(cursor, context)), ...UNCACHED })),
  )
  server.setRequestHandler(SKILLS_GET_METHOD, { params: PLACE }, ({ uri }) =>
    answer(async () => {
      const skill = await getSkill(uri, context)
      if (skill === null) throw invalid(`No skill is served at ${uri.slice(0, SHOWN_LENGTH)}.`)
      return { skill, ...UNCACHED }
    }),
  )
  server.setRequestHandler(RESOURCES_DIRECTORY_READ_METHOD, { params: PLACE }, ({ uri, cursor }) =>
    answer(async () => {
      const resources = await readSkillDirectory(uri, context)
      if (resources === null) throw invalid(`${uri.slice(0, SHOWN_LENGTH)} is no folder of a skill.`)
      // A folder has one page.
      if (cursor !== undefined) throw invalid('There is no such page of the folder.')
      return { resources, ...UNCACHED }
    }),
  )
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}
