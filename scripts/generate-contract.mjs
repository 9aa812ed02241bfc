// Generates from openapi.yaml: client/*.gen.ts, contract/facts.gen.ts, and domain/settings/settings.gen.ts from its
// schema `Settings`. `--check` writes nothing and fails when one of them is stale, when the document is not valid
// OpenAPI 3.1, or when an operation has no file of its name.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import openapiTS, { astToString } from 'openapi-typescript'
import { parse } from 'yaml'

const root = new URL('../', import.meta.url)
const contractUrl = new URL('openapi.yaml', root)
const HEADER = '/** Generated from openapi.yaml by scripts/generate-contract.mjs; not edited by hand. */\n\n'

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

const RULES = {
  struct: 'error',
  'no-unresolved-refs': 'error',
  'no-unused-components': 'error',
  'no-identical-paths': 'error',
  'no-schema-type-mismatch': 'error',
  'no-path-trailing-slash': 'error',
  'no-ambiguous-paths': 'off',
  'operation-operationId': 'error',
  'operation-operationId-unique': 'error',
  'operation-operationId-url-safe': 'error',
  'operation-summary': 'error',
  'operation-description': 'error',
  'operation-tag-defined': 'error',
  'operation-parameters-unique': 'error',
  'path-declaration-must-exist': 'error',
  'path-not-include-query': 'error',
  'path-parameters-defined': 'error',
  'path-params-defined': 'error',
  'security-defined': 'error',
  'no-enum-type-mismatch': 'error',
  // The schema alone says whether there may be others: those of a change are derived when the service starts.
  'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
  'no-invalid-parameter-examples': 'error',
  'no-invalid-schema-examples': 'error',
}

function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({
      path,
      method,
      ...item[method],
      parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])],
      security: item[method].security ?? document.security,
    })),
  )
}

function resolve(document, node) {
  if (!node?.$ref) return node
  return node.$ref
    .slice(2)
    .split('/')
    .reduce((at, key) => at[key], document)
}

function quoted(names) {
  return names.length === 0 ? 'never' : names.map((name) => `'${name}'`).join(' | ')
}

/**
 * Returns facts that types cannot read out of `operations`: who may call, and which query parameters and fields of the
 * body always have a value, since the validation fills in their defaults.
 */
function factsOf(document) {
  const lines = operationsOf(document).map((operation) => {
    const schemes = (operation.security ?? []).flatMap((requirement) => Object.keys(requirement))
    const defaults = operation.parameters
      .map((parameter) => resolve(document, parameter))
      .filter((parameter) => parameter.in === 'query' && resolve(document, parameter.schema)?.default !== undefined)
      .map((parameter) => parameter.name)
    const body = resolve(document, operation.requestBody)?.content['application/json'].schema
    // The other schemes are the same key in another header.
    const security = schemes.length === 0 ? "'public'" : quoted(schemes.slice(0, 1))
    const filled = `query: ${quoted(defaults)}; body: ${quoted(defaultsOf(document, body))}`
    return `    ${operation.operationId}: { security: ${security}; ${filled} };`
  })
  const schemas = Object.keys(document.components.schemas)
    .map((name) => [name, defaultsOf(document, document.components.schemas[name])])
    .filter(([name, names]) => names.length > 0 && name !== 'Settings')
    .map(([name, names]) => `    ${name}: ${quoted(names)};`)
  return (
    `export interface operationFacts {\n${lines.join('\n')}\n}\n\n` +
    `/** Fields with a default. */\nexport interface schemaDefaults {\n${schemas.join('\n')}\n}\n`
  )
}

/** Returns the names of the fields of an object's schema that have a default. */
function defaultsOf(document, node) {
  const schema = resolve(document, node) ?? {}
  const inner = (schema.allOf ?? []).flatMap((part) => defaultsOf(document, part))
  const own = Object.entries(schema.properties ?? {}).filter(
    ([, field]) => resolve(document, field).default !== undefined,
  )
  return [...inner, ...own.map(([name]) => name)]
}

/**
 * Returns what the contract says of each field of a memory that callers write, which the command line shows.
 */
function fieldTextsOf(document) {
  const texts = Object.entries(document.components.schemas.MemoryFields.properties).map(([name, property]) => {
    const { enum: values = [], description } = resolve(document, property)
    const text = [values.join(', '), description].filter(Boolean).join('; ')
    if (text === '') throw new Error(`openapi.yaml: MemoryFields.${name} has no description`)
    return [name, text]
  })
  return `\nexport const memoryFieldTexts = ${JSON.stringify(Object.fromEntries(texts), null, 4)}\n`
}

/** Leaves the examples of parameters and bodies out, which would double the file. A schema's examples are a list. */
function withoutExamples(key, value) {
  const isExample = key === 'example' || (key === 'examples' && !Array.isArray(value))
  return isExample ? undefined : value
}

/** What openapi-typescript generates and nobody reads. */
const UNUSED_TYPES = ['paths', 'webhooks', '$defs']

/** Returns the types of the contract as callers see them: what has a default may be left out. */
async function typesOf(document) {
  const text = JSON.stringify(document, withoutExamples)
  const nodes = await openapiTS(text, { defaultNonNullable: false, emptyObjectsUnknown: true, silent: true })
  return HEADER + astToString(nodes.filter(({ name }) => !UNUSED_TYPES.includes(name?.text)))
}

/** Returns the operations as the client has them: what a request needs to know, and a documented method for each. */
function clientOf(document) {
  const operations = operationsOf(document)
  const facts = operations.map(
    (operation) => `  ${operation.operationId}: ${JSON.stringify(clientFactsOf(document, operation))},\n`,
  )
  const methods = operations.map(({ operationId, summary, description }) => {
    const text = [summary, '', ...(description ?? '').trim().split('\n')]
      .map((line) => `   * ${line}`.trimEnd())
      .join('\n')
    return `  /**\n${text.replaceAll('*/', '*\\/')}\n   */\n  ${operationId}: Method<'${operationId}'>\n`
  })
  return (
    `${HEADER}import type { Method, OperationFacts, OperationId } from './types.js'\n\n` +
    `export const OPERATIONS: Readonly<Record<OperationId, OperationFacts>> = {\n${facts.join('')}}\n\n` +
    `export interface Operations {\n${methods.join('')}}\n`
  )
}

function clientFactsOf(document, operation) {
  const { operationId, method, path, requestBody, security } = operation
  const parameters = operation.parameters.map((parameter) => resolve(document, parameter))
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const body = fieldsOf(document, resolve(document, requestBody)?.content['application/json'].schema)
  const taken = [...parameters.filter((parameter) => parameter.in !== 'header').map(({ name }) => name), ...body.keys()]
  const ambiguous = taken.find((name, i) => taken.indexOf(name) !== i && name !== 'tenant_id')
  if (ambiguous !== undefined) throw new Error(`openapi.yaml: ${operationId} takes ${ambiguous} in two places`)
  const isOfTenants = (security ?? []).some((requirement) => 'apiKey' in requirement)
  const isTenantRequired = query.find(({ name }) => name === 'tenant_id')?.required || body.get('tenant_id')
  const takesIdempotencyKey = parameters.some(({ name }) => name === 'Idempotency-Key')
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))[1]
  const answer = fieldsOf(document, resolve(document, success).content?.['application/json']?.schema)
  return {
    method: method.toUpperCase(),
    path,
    query: query.map(({ name }) => name),
    takesBody: requestBody !== undefined,
    tenant: isOfTenants ? (isTenantRequired ? 'required' : 'optional') : 'none',
    takesIdempotencyKey,
    isIdempotent: ['get', 'put', 'delete'].includes(method) || operation['x-idempotent'] === true,
    isPaged: answer.has('items') && answer.has('next_cursor'),
  }
}

/** Returns the fields of an object's schema: whether each is required. */
function fieldsOf(document, node) {
  const schema = resolve(document, node) ?? {}
  const inner = (schema.allOf ?? []).flatMap((part) => [...fieldsOf(document, part)])
  const own = Object.keys(schema.properties ?? {}).map((name) => [name, false])
  return new Map([...inner, ...own, ...(schema.required ?? []).map((name) => [name, true])])
}

/** Returns the tree of settings as a type, and its defaults. */
function settingsOf({ components }) {
  const { Settings: schema } = components.schemas
  const defaults = JSON.stringify(defaultsIn(schema, 'Settings'), null, 2)
  return `${HEADER}export type Settings = ${typeOf(schema)}\n\nexport const DEFAULT_SETTINGS: Settings = ${defaults}\n`
}

function typeOf(schema, indent = '') {
  if (schema.enum) return quoted(schema.enum)
  switch (schema.type) {
    case 'object': {
      const inner = `${indent}  `
      const lines = Object.entries(schema.properties).map(
        ([name, property]) => `${inner}readonly ${name}: ${typeOf(property, inner)}\n`,
      )
      return `{\n${lines.join('')}${indent}}`
    }
    case 'array':
      return `ReadonlyArray<${typeOf(schema.items, indent)}>`
    case 'integer':
      return 'number'
    default:
      return schema.type
  }
}

/** Returns the defaults. Throws where one would be undefined: each setting is required, and has a default. */
function defaultsIn(schema, path) {
  if (schema.type !== 'object') {
    if (schema.default === undefined) throw new Error(`openapi.yaml: ${path} has no default`)
    return schema.default
  }
  const entries = Object.entries(schema.properties).map(([name, inner]) => {
    if (!schema.required?.includes(name)) throw new Error(`openapi.yaml: ${path}.${name} is not required`)
    return [name, defaultsIn(inner, `${path}.${name}`)]
  })
  return Object.fromEntries(entries)
}

/** Statuses that every operation may answer, since they concern any request before or while it is read. */
const ALWAYS_POSSIBLE = ['400', '408', '413', '417', '422', '431', '500', '504']

/** Returns a problem for each status that the service may answer to an operation and the operation does not declare. */
function undeclaredStatusesOf(document) {
  return operationsOf(document).flatMap(({ operationId, responses, requestBody, security }) => {
    const schemes = security.flatMap((requirement) => Object.keys(requirement))
    const possible = [
      ...ALWAYS_POSSIBLE,
      ...(schemes.length > 0 ? ['401', '403', '503'] : []),
      ...(schemes.includes('apiKey') ? ['404'] : []),
      ...(requestBody ? ['415'] : []),
    ]
    return possible
      .filter((status) => !(status in responses))
      .map((status) => `${operationId}: does not declare ${status}`)
  })
}

const RATE_CLASSES = ['writes', 'recalls', 'bulk', 'inbox']
const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
/** Statuses that are answered without a known key, or before there is a request. */
const BEFORE_THE_QUOTA = ['401', '417', '431']

/**
 * Returns a problem for each operation that does not name its limiter, or does not declare the quota headers on each
 * answer that a known key gets.
 */
function rateLimitProblemsOf(document) {
  return operationsOf(document).flatMap(({ operationId, responses, 'x-rate-limit': limiting }) => {
    if (![...RATE_CLASSES, 'none', 'exempt'].includes(limiting)) {
      return [`${operationId}: x-rate-limit is one of ${RATE_CLASSES.join(', ')}, none, exempt`]
    }
    const problems = []
    if ((limiting !== 'exempt') !== '429' in responses) {
      problems.push(`${operationId}: x-rate-limit ${limiting} does not agree with its 429`)
    }
    if (!RATE_CLASSES.includes(limiting)) return problems
    for (const [status, response] of Object.entries(responses)) {
      const { headers = {} } = resolve(document, response)
      const missing = RATE_HEADERS.filter((name) => !(name in headers))
      if (!BEFORE_THE_QUOTA.includes(status) && missing.length > 0)
        problems.push(`${operationId} ${status}: no ${missing.join(', ')}`)
    }
    return problems
  })
}

async function problemsOf(text, document) {
  const config = await createConfig({ rules: RULES })
  const findings = await lintFromString({ source: text, absoluteRef: contractUrl.pathname, config })
  const problems = findings.map(({ ruleId, message, location }) => {
    const at = location[0]?.pointer ?? ''
    return `openapi.yaml ${at}: ${message} (${ruleId})`
  })
  problems.push(...undeclaredStatusesOf(document), ...rateLimitProblemsOf(document))
  const files = new Set(readdirSync(new URL('api', root), { recursive: true }).map((path) => basename(path)))
  for (const { operationId } of operationsOf(document))
    if (!files.has(`${operationId}.ts`)) problems.push(`no folder of api/ has a file ${operationId}.ts`)
  return problems
}

async function main() {
  const text = readFileSync(contractUrl, 'utf8')
  const document = parse(text, { merge: true })
  const generated = {
    'domain/settings/settings.gen.ts': settingsOf(document),
    'contract/facts.gen.ts': HEADER + factsOf(document) + fieldTextsOf(document),
    'client/contract.gen.ts': await typesOf(document),
    'client/operations.gen.ts': clientOf(document),
  }
  const stale = Object.entries(generated).filter(([path, code]) => read(path) !== code)
  if (!process.argv.includes('--check')) {
    for (const [path, code] of stale) writeFileSync(new URL(path, root), code)
    return
  }
  const problems = await problemsOf(text, document)
  for (const [path] of stale) problems.push(`${path} is stale: run \`npm run generate\``)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}

function read(path) {
  const url = new URL(path, root)
  return existsSync(url) ? readFileSync(url, 'utf8') : ''
}

await main()
