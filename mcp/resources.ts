import { SKILL_FILES_TEMPLATE, SKILL_SCHEME } from './skill-uris.js'
import { listSkillResources, readSkillResource, type SkillsContext } from './skills.js'
import { callTool, type ToolContext } from './tool-call.js'
import { TOOLS } from './tools.js'

const KEYSTONES = 'cairn://keystones'
const SCHEMAS = 'cairn://schemas/'
const MIME_TYPE = 'application/json'

/** Lists the rules of the caller, the exact schema of each tool's arguments, and page by page the skills. */
export async function listResources(cursor: string | undefined, context: SkillsContext) {
  const { resources, ...page } = await listSkillResources(cursor, context)
  return { resources: [...(cursor === undefined ? ownResources() : []), ...resources], ...page }
}

export function listResourceTemplates() {
  return [
    {
      uriTemplate: SKILL_FILES_TEMPLATE,
      name: 'skill-files',
      title: 'Files of skills',
      description: 'The SKILL.md of a skill, and what stands beside it.',
    },
  ]
}

function ownResources() {
  return [
    {
      uri: KEYSTONES,
      name: 'keystones',
      title: 'Mandatory rules',
      description: 'The rules that you must follow, with the `_etag` to acknowledge.',
      mimeType: MIME_TYPE,
    },
    ...TOOLS.map(({ name, title }) => ({
      uri: `${SCHEMAS}${name}`,
      name: `schema-of-${name}`,
      title: `Arguments: ${title}`,
      description: `The exact JSON Schema of the arguments of ${name}, with one alternative for each op.`,
      mimeType: MIME_TYPE,
    })),
  ]
}

/** Returns a resource's contents; null for an unknown one. A refusal is what it contains, as in a tool's answer. */
export async function readResource(uri: string, context: ToolContext & SkillsContext) {
  if (uri.startsWith(SKILL_SCHEME)) return readSkillResource(uri, context)
  const value = await valueOf(uri, context)
  return value && { uri, mimeType: MIME_TYPE, text: JSON.stringify(value) }
}

async function valueOf(uri: string, context: ToolContext): Promise<object | null> {
  if (uri === KEYSTONES) return (await callTool('svc_keystones', { op: 'list' }, context)).content
  const tool = TOOLS.find(({ name }) => uri === `${SCHEMAS}${name}`)
  return tool ? context.fields.exactSchemaOf(tool) : null
}
