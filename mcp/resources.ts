import { callTool, type ToolContext } from './tool-call.js'
import { TOOLS } from './tools.js'

const KEYSTONES = 'cairn://keystones'
const SCHEMAS = 'cairn://schemas/'
const MIME_TYPE = 'application/json'

/** Lists the rules of the caller, and the exact schema of each tool's arguments. */
export function listResources() {
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
export async function readResource(uri: string, context: ToolContext) {
  const value = await valueOf(uri, context)
  return value && { uri, mimeType: MIME_TYPE, text: JSON.stringify(value) }
}

async function valueOf(uri: string, context: ToolContext): Promise<object | null> {
  if (uri === KEYSTONES) return (await callTool('svc_keystones', { op: 'list' }, context)).content
  const tool = TOOLS.find(({ name }) => uri === `${SCHEMAS}${name}`)
  return tool ? context.fields.exactSchemaOf(tool) : null
}
