/** A schema of a tool's arguments as the interface of a model sees it. */
type ListedSchema = Readonly<Record<string, unknown>>

interface OfferedTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: ListedSchema
}

interface SchemaRule {
  /** Who refuses the tool, or the whole request, when it is broken. */
  readonly by: string
  readonly rule: string
  /** Returns the places where a tool breaks it. */
  readonly broken: (tool: OfferedTool) => readonly string[]
}

/** Keywords of a schema for arguments that Gemini knows. */
const KNOWN_TO_GEMINI = new Set(
  `type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength
  maxLength pattern example anyOf propertyOrdering default items minimum maximum`.split(/\s+/),
)
/** Most characters of a description that OpenAI's interface and LlamaIndex take. */
export const MOST_DESCRIPTION = 1_024

/** Lists what the interfaces of OpenAI's, Anthropic's and Google's models, and VS Code, are known to refuse in the tools of a request. */
export const SCHEMA_RULES: readonly SchemaRule[] = [
  {
    by: 'OpenAI, Gemini and VS Code',
    rule: 'a list says what its items are',
    broken: (tool) => placesOf(tool, (schema) => isA('array', schema) && schema.items === undefined),
  },
  {
    by: 'OpenAI',
    rule: `a description has at most ${MOST_DESCRIPTION} characters`,
    broken: ({ description = '' }) =>
      description.length > MOST_DESCRIPTION ? [`${description.length} characters`] : [],
  },
  {
    by: 'OpenAI and Anthropic',
    rule: 'the top is an object without alternatives',
    broken: ({ inputSchema }) => [
      ...(inputSchema.type === 'object' ? [] : ['type']),
      ...['oneOf', 'anyOf', 'allOf', 'not', 'enum', 'if', '$ref'].filter((keyword) => keyword in inputSchema),
    ],
  },
  {
    by: 'OpenAI and Anthropic',
    rule: 'a name has at most 64 letters, digits, _ and -',
    broken: ({ name }) => (/^[\w-]{1,64}$/.test(name) ? [] : [name]),
  },
  {
    by: 'Anthropic',
    rule: 'an argument is named by at most 64 letters, digits, _, . and -',
    broken: (tool) => schemasOf(tool).flatMap(([, { properties = {} }]) => keysBesides(/^[\w.-]{1,64}$/, properties)),
  },
  {
    by: 'Gemini',
    rule: 'a schema has one type',
    broken: (tool) => placesOf(tool, ({ type }) => typeof type !== 'string'),
  },
  {
    by: 'Gemini',
    rule: 'choices are texts, and none is empty',
    broken: (tool) =>
      placesOf(tool, ({ type, enum: choices }) => {
        if (choices === undefined) return false
        return type !== 'string' || (choices as unknown[]).some((choice) => typeof choice !== 'string' || choice === '')
      }),
  },
  {
    by: 'Gemini',
    rule: 'the only format of a text is that of a time',
    broken: (tool) => placesOf(tool, ({ type, format = 'date-time' }) => type === 'string' && format !== 'date-time'),
  },
  {
    by: 'Gemini',
    rule: 'no keyword is unknown',
    broken: (tool) =>
      schemasOf(tool).flatMap(([place, schema]) =>
        Object.keys(schema).flatMap((keyword) => (KNOWN_TO_GEMINI.has(keyword) ? [] : `${place}: ${keyword}`)),
      ),
  },
]

function isA(type: string, schema: ListedSchema): boolean {
  return [schema.type].flat().includes(type)
}

function placesOf(tool: OfferedTool, isBroken: (schema: ListedSchema) => boolean): string[] {
  return schemasOf(tool).flatMap(([place, schema]) => (isBroken(schema) ? place : []))
}

function keysBesides(allowed: RegExp, properties: unknown): string[] {
  return Object.keys(properties as object).filter((key) => !allowed.test(key))
}

/** Returns all schemas of a tool's arguments with their places. */
function schemasOf({ name, inputSchema }: OfferedTool): (readonly [place: string, ListedSchema])[] {
  return within(inputSchema, name)
}

function within(schema: ListedSchema, place: string): (readonly [string, ListedSchema])[] {
  const { properties = {}, items, additionalProperties: others } = schema
  const inner = Object.entries(properties as Record<string, ListedSchema>).map(
    ([key, one]) => [`${place}.${key}`, one] as const,
  )
  const branches = ['anyOf', 'oneOf', 'allOf'].flatMap(
    (keyword) => (schema[keyword] as ListedSchema[] | undefined) ?? [],
  )
  const all = [
    ...inner,
    ...(items === undefined ? [] : [[`${place}[]`, items as ListedSchema] as const]),
    ...(typeof others === 'object' && others !== null ? [[`${place}.*`, others as ListedSchema] as const] : []),
    ...branches.map((branch, i) => [`${place}|${i}`, branch] as const),
  ]
  return [[place, schema], ...all.flatMap(([at, one]) => within(one, at))]
}
