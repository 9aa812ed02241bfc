import { ProtocolError, ProtocolErrorCode, type Resource } from '@modelcontextprotocol/server'
import { DIRECTORY_MIME_TYPE, type Skill } from '@modelcontextprotocol/server/ext/skills'
import type { components } from '../contract/types.js'
import { skillFile } from '../domain/skills/skill-file.js'
import { textOfFile } from '../domain/skills/skill-files.js'
import type { CallOperation, OperationRequest } from '../http/message-endpoint.js'
import { Slices, type Yielding } from '../runtime/slices.js'
import { mediaTypeOf } from './media-types.js'
import { REFUSED } from './refusal.js'
import type { SkillEntries, SkillFacts, SkillHead } from './skill-entries.js'
import { readSkillUri, SKILL_FILE, skillUri } from './skill-uris.js'

/** Holds what the skills of a caller are read with. */
export interface SkillsContext {
  readonly entries: SkillEntries
  /** The tenant of the key; null for the admin credential, which has no skills. */
  readonly tenantId: string | null
  readonly callOperation: CallOperation
}

type Page = components['schemas']['InstallablePage']
type Listed = components['schemas']['InstallableSkill']

const PAGE_SIZE = 200
const MARKDOWN = 'text/markdown'

/** Returns a page of the entries of the skills that a harness of the caller would install. Contents are read where no manifest is kept. */
export async function listSkills(cursor: string | undefined, context: SkillsContext) {
  const bare = await readPage({ cursor, include_content: false }, context)
  const entries = await entriesOf(bare, context)
  if (entries) return { skills: entries, ...nextOf(bare) }
  const known = bare.items.filter((item) => context.entries.of(item, undefined) !== undefined)
  const hashes = Object.fromEntries(known.map(({ doc_id, content_hash }) => [doc_id, content_hash]))
  // A skill that got another name meanwhile has its content hash still, and no manifest.
  for (const asked of [{ known: hashes }, {}]) {
    const page = await readPage({ cursor, ...asked }, context)
    const found = await entriesOf(page, context)
    if (found) return { skills: found, ...nextOf(page) }
  }
  throw new Error('a page with every content has skills without any')
}

/** Returns the entry of the skill whose SKILL.md a URI names; null for none. */
export async function getSkill(uri: string, context: SkillsContext): Promise<Skill | null> {
  const found = await findSkill(uri, context)
  return found?.within === SKILL_FILE ? (context.entries.of(found.facts, found.content) ?? null) : null
}

/** Returns a page of the resources of the skills that `listSkills` lists, each its SKILL.md. */
export async function listSkillResources(cursor: string | undefined, context: SkillsContext) {
  const page = await readPage({ cursor, include_content: false }, context)
  return { resources: await new Slices().run(makeResources(page, context)), ...nextOf(page) }
}

function* makeResources({ items }: Page, { entries }: SkillsContext): Yielding<Resource[]> {
  const resources: Resource[] = []
  for (const item of items) {
    const head = entries.headOf(item)
    if (head) {
      const { name, description, path } = head
      resources.push({ uri: skillUri(...path, SKILL_FILE), name, title: item.name, description, mimeType: MARKDOWN })
    }
    yield
  }
  return resources
}

/** Returns the contents of a file of a skill; null for none. */
export async function readSkillResource(uri: string, context: SkillsContext) {
  const found = await findSkill(uri, context)
  if (!found) return null
  const { facts, content, within } = found
  if (within === SKILL_FILE) return { uri, mimeType: MARKDOWN, text: skillFile(facts, content) }
  if (!facts.files.some(({ path }) => path === within)) return null
  const params = { slug: encodeURIComponent(facts.doc_id), path: encodeURIComponent(within) }
  const body = await call({ operationId: 'getSkillFile', params, query: queryOf(context) }, context)
  if (body === null) return null
  const bytes = Buffer.from(body as Uint8Array)
  const [text, mimeType] = [textOfFile(bytes), mediaTypeOf(within)]
  return text === null ? { uri, mimeType, blob: bytes.toString('base64') } : { uri, mimeType, text }
}

/** Returns what stands in a folder of a skill; null for what is no folder. */
export async function readSkillDirectory(uri: string, context: SkillsContext) {
  const found = await findSkill(uri, context)
  if (!found) return null
  const { facts, head, within } = found
  const parent = within === '' ? '' : `${within}/`
  const below = [SKILL_FILE, ...facts.files.map(({ path }) => path)].filter((path) => path.startsWith(parent))
  if (below.length === 0) return null
  const names = new Set(below.map((path) => /^[^/]+\/?/.exec(path.slice(parent.length))![0]))
  return [...names].map((given) => {
    const name = given.replace(/\/$/, '')
    const childUri = skillUri(...head.path, ...`${parent}${name}`.split('/'))
    return { uri: childUri, name, mimeType: name === given ? mediaTypeOf(name) : DIRECTORY_MIME_TYPE }
  })
}

interface FoundSkill {
  readonly facts: SkillFacts
  readonly head: SkillHead
  readonly content: string
  /** Path within its folder; empty for the folder itself. */
  readonly within: string
}

/** Finds the skill whose folder a URI leads into, if the caller sees it. */
async function findSkill(uri: string, context: SkillsContext): Promise<FoundSkill | null> {
  const place = readSkillUri(uri)
  if (!place || context.tenantId === null) return null
  const params = { collection: 'skills', doc_id: encodeURIComponent(place.docId) }
  const body = await call({ operationId: 'getDocument', params, query: queryOf(context) }, context)
  if (body === null) return null
  const { doc_id, version, data } = body as components['schemas']['Document']
  const { content, ...fields } = data as Omit<Listed, 'doc_id' | 'version'> & { readonly content: string }
  const facts = { ...fields, doc_id, version }
  const head = context.entries.headOf(facts)
  if (!head?.path.every((segment, i) => segment === place.segments[i])) return null
  return { facts, head, content, within: place.segments.slice(head.path.length).join('/') }
}

/** Returns a page of the catalogue: an empty one for callers who may read no skills, so that a host has nothing to tell its user. */
async function readPage(asked: object, { tenantId, callOperation }: SkillsContext): Promise<Page> {
  if (tenantId === null) return NO_SKILLS
  const body = { tenant_id: tenantId, limit: PAGE_SIZE, ...asked }
  const request = { operationId: 'listInstallable', params: {}, query: '', headers: {}, body }
  const answer = await callOperation(request)
  if (answer.status === 403) return NO_SKILLS
  if (answer.status >= 400) throw refusal(answer.status, answer.body)
  return answer.body as Page
}

const NO_SKILLS: Page = { items: [], next_cursor: null, complete: true, etag: '' }

function nextOf({ next_cursor }: Page) {
  return next_cursor === null ? {} : { nextCursor: next_cursor }
}

/** Returns the entries of a page; null where one needs a content that the page does not have. */
function entriesOf(page: Page, context: SkillsContext): Promise<Skill[] | null> {
  return new Slices().run(makeEntries(page, context))
}

function* makeEntries({ items }: Page, context: SkillsContext): Yielding<Skill[] | null> {
  const entries: Skill[] = []
  for (const item of items) {
    const entry = context.entries.of(item, item.content)
    if (entry === undefined) return null
    if (entry !== null) entries.push(entry)
    yield
  }
  return entries
}

/** Returns the body of an operation's answer; null where the caller sees no such row. */
async function call(
  request: Omit<OperationRequest, 'headers' | 'body'>,
  { callOperation }: SkillsContext,
): Promise<unknown> {
  const { status, body } = await callOperation({ ...request, headers: {}, body: undefined })
  if (UNSEEN.includes(status)) return null
  if (status >= 400) throw refusal(status, body)
  return body
}

/** Statuses of what is not there for a caller, and of ids that nothing can have. */
const UNSEEN = [403, 404, 422]

/** Returns REST's refusal as an error of JSON-RPC, with the envelope as its data. */
function refusal(status: number, body: unknown): ProtocolError {
  const { error } = body as { readonly error: { readonly message: string } }
  const code = status === 400 || status === 422 ? ProtocolErrorCode.InvalidParams : REFUSED
  return new ProtocolError(code, error.message, body)
}

function queryOf({ tenantId }: SkillsContext): string {
  return new URLSearchParams({ tenant_id: tenantId! }).toString()
}
