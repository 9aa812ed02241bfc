import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { encode } from 'gpt-tokenizer'
import { openapiDocument } from '../../contract/openapi-document.js'
import { createAjv } from '../../http/validation/schema-keywords.js'
import { ToolFields } from '../../mcp/tool-fields.js'
import { type ListedTool, listTools } from '../../mcp/tool-list.js'
import { TOOLS } from '../../mcp/tools.js'
import { SCHEMA_RULES } from '../support/model-schema-rules.js'

const MOST_TOKENS = 4_000
const TRUSTS = [0, 1, 2, 3]

describe('the list of tools', () => {
  const fields = new ToolFields(openapiDocument())
  const listed = (trust: number) => listTools(fields, trust)
  const toolOf = (name: string, trust = 3) => listed(trust).find((tool) => tool.name === name)!
  const propertyOf = (tool: string, name: string) =>
    (toolOf(tool).inputSchema.properties as Record<string, Record<string, unknown>>)[name]!
  const opsOf = ({ inputSchema }: ListedTool) => (inputSchema.properties as { op: { enum: string[] } }).op.enum

  it('has the tools and ops that were decided', () => {
    const ops = Object.fromEntries(listed(3).map((tool) => [tool.name, opsOf(tool).join(' ')]))
    expect(ops).to.deep.equal({
      svc_memory: 'write write_many read list update transition delete lineage feedback',
      svc_recall: 'search read',
      svc_doc: 'write read query search delete list_collections',
      svc_keystones: 'list set delete acknowledge',
      svc_skills: 'list search read scan outcome',
      svc_inbox: 'list approve edit reject quarantine defer restore overrule',
      svc_entity: 'read search',
      svc_stats: 'read',
    })
  })

  it('shows a caller what its trust may call', () => {
    const whole = listed(3).map(({ name }) => name)
    for (const trust of [1, 2]) {
      expect(listed(trust).map(({ name }) => name)).to.deep.equal(whole.filter((name) => name !== 'svc_inbox'))
      for (const tool of listed(trust)) expect(tool).to.deep.equal(toolOf(tool.name))
    }
    expect(Object.fromEntries(listed(0).map((tool) => [tool.name, opsOf(tool).join(' ')]))).to.deep.equal({
      svc_recall: 'search',
      svc_memory: 'read list lineage',
      svc_keystones: 'list acknowledge',
      svc_entity: 'read search',
      svc_stats: 'read',
    })
    for (const { description, inputSchema } of listed(0)) {
      expect(description).not.to.match(/`(write|set|delete|feedback|transition)`/)
      expect(JSON.stringify(inputSchema)).not.to.contain('write, update')
    }
  })

  it(`costs a model at most ${MOST_TOKENS} tokens`, () => {
    const tokens = encode(JSON.stringify(listed(3))).length
    console.log(`      the list of tools: ${tokens} tokens (o200k_base)`)
    expect(tokens).to.be.at.most(MOST_TOKENS)
  })

  for (const { by, rule, broken } of SCHEMA_RULES)
    it(`is not refused by ${by}: ${rule}`, () => {
      for (const trust of TRUSTS) expect(listed(trust).flatMap((tool) => broken(tool))).to.deep.equal([])
    })

  it('keeps formats, items and the first description of what ops share', () => {
    for (const name of ['expires_at', 'ts_valid_start', 'ts_valid_end'])
      expect(propertyOf('svc_memory', name)).to.include({ type: 'string', format: 'date-time' })
    expect(propertyOf('svc_memory', 'weight').description).to.equal('How much it counts in recall, from 0 to 1.')
    expect(propertyOf('svc_recall', 'statuses').items).to.deep.include({ type: 'string' })
  })

  it('says in a line what lists hold and objects are', () => {
    const links = propertyOf('svc_memory', 'entity_links')
    expect(links.description).to.contain('{entity_id or name, entity_type?, role?}')
    expect(Object.keys((links.items as { properties: object }).properties)).to.have.members([
      'entity_id',
      'name',
      'entity_type',
      'role',
    ])
    expect(propertyOf('svc_memory', 'items').description).to.contain('arguments of write')
    for (const [tool, name] of [
      ['svc_doc', 'data'],
      ['svc_doc', 'where'],
      ['svc_skills', 'where'],
      ['svc_memory', 'metadata'],
      ['svc_recall', 'metadata_filter'],
    ] as const)
      expect(propertyOf(tool, name).description).to.match(/\{".*\}/)
  })

  it('says which choices an op does not take', () => {
    const [type, status] = ['memory_type', 'status'].map((name) => propertyOf('svc_memory', name))
    expect(type!.enum).to.include.members(['fact', 'outcome', 'rule', 'insight'])
    expect(type!.description).to.contain('write, update: not outcome, rule, insight.')
    expect(status!.description)
      .to.contain('write: not cancelled, outdated, conflicted, archived, deleted.')
      .and.to.contain('update, transition: not outdated, conflicted, deleted.')
  })

  it('shows what is required as required, and one name for a row', () => {
    const lines = (tool: string) => toolOf(tool).description.split('\n')
    expect(lines('svc_doc').find((line) => line.startsWith('write('))).to.match(/\bdoc_id,/)
    expect(lines('svc_memory')).to.include.members([
      'read(id, include_deleted?, known_at?)',
      'delete(id)',
      'lineage(id)',
    ])
    expect(lines('svc_recall')).to.include('read(id)')
    expect(lines('svc_entity')).to.include('read(id)')
    expect(lines('svc_skills')).to.include.members(['read(doc_id)', 'outcome(doc_id, outcome, run_id?)'])
    for (const { inputSchema } of listed(3))
      expect(inputSchema.properties).not.to.have.any.keys('slug', 'memory_id', 'entity_id', 'recall_id')
    expect(toolOf('svc_stats').inputSchema).not.to.have.property('required')
  })

  it('says what an op takes, where it is as another, by that one’s name', () => {
    const line = toolOf('svc_memory')
      .description.split('\n')
      .find((one) => one.startsWith('update('))
    expect(line).to.equal(
      'update(id, if_match?, the rest of write but idempotency_key, supersedes_id, agent_id, fleet_id)',
    )
  })

  for (const { name, example } of TOOLS)
    it(`describes ${name} by an example that it accepts, and by an exact schema`, () => {
      const { description, inputSchema } = toolOf(name)
      expect(description).to.contain(JSON.stringify(example))
      expect(new Ajv2020({ strict: false, validateFormats: false }).validate(inputSchema, example)).to.equal(true)
      const exact = fields.exactSchemaOf(TOOLS.find((one) => one.name === name)!)
      const ajv = createAjv({ allErrors: true })
      expect(ajv.validate(exact, example)).to.equal(true)
      expect(ajv.validate(exact, { ...example, op: 'burn' })).to.equal(false)
      expect(ajv.validate(exact, { ...example, wings: 2 })).to.equal(false)
    })
})

describe('the rules of models’ interfaces', () => {
  const offered = (properties: object, description = '') => ({
    name: 'svc_memory',
    description,
    inputSchema: { type: 'object', properties },
  })
  const rulesBroken = (tool: ReturnType<typeof offered>) =>
    SCHEMA_RULES.filter(({ broken }) => broken(tool).length > 0).map(({ rule }) => rule)

  it('see what each of them refuses', () => {
    expect(rulesBroken(offered({ ids: { type: 'array', items: { type: 'string' } } }))).to.deep.equal([])
    expect(rulesBroken(offered({ links: { type: 'array' } }))).to.deep.equal(['a list says what its items are'])
    expect(rulesBroken(offered({ a: { type: 'array', items: { type: 'array' } } }))).to.have.length(1)
    expect(rulesBroken(offered({}, 'x'.repeat(1_025)))).to.have.length(1)
    expect(rulesBroken({ ...offered({}), name: 'svc memory' })).to.have.length(1)
    expect(rulesBroken({ ...offered({}), inputSchema: { type: 'object', oneOf: [] } as never })).to.have.length(2)
    expect(rulesBroken(offered({ 'a b': { type: 'string' } }))).to.have.length(1)
    expect(rulesBroken(offered({ a: { type: ['string', 'null'] } }))).to.have.length(1)
    expect(rulesBroken(offered({ a: { type: 'integer', enum: [1] } }))).to.have.length(1)
    expect(rulesBroken(offered({ a: { type: 'string', format: 'uuid' } }))).to.have.length(1)
    expect(rulesBroken(offered({ a: { type: 'object', unevaluatedProperties: false } }))).to.have.length(1)
  })
})
