import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { encode } from 'gpt-tokenizer'
import { openapiDocument } from '../../contract/openapi-document.js'
import { createAjv } from '../../http/validation/schema-keywords.js'
import { ToolFields } from '../../mcp/tool-fields.js'
import { listTools } from '../../mcp/tool-list.js'
import { TOOLS } from '../../mcp/tools.js'

const MOST_TOKENS = 4_000
/** Keywords that clients and models' interfaces refuse at the top of a tool's schema. */
const REFUSED_AT_THE_TOP = ['oneOf', 'anyOf', 'allOf', 'not', 'if', '$ref']

describe('the list of tools', () => {
  const fields = new ToolFields(openapiDocument())
  const tools = listTools(fields)

  it('has the tools and ops that were decided', () => {
    const ops = Object.fromEntries(TOOLS.map((tool) => [tool.name, Object.keys(tool.ops).join(' ')]))
    expect(ops).to.deep.equal({
      svc_memory: 'write write_many read list update transition delete lineage feedback',
      svc_recall: 'search read',
      svc_doc: 'write read query search delete list_collections',
      svc_keystones: 'list set delete acknowledge',
      svc_skills: 'list search read outcome',
      svc_inbox: 'list approve edit reject quarantine defer restore',
      svc_entity: 'read search',
      svc_stats: 'read',
    })
  })

  it(`costs a model at most ${MOST_TOKENS} tokens`, () => {
    const tokens = encode(JSON.stringify(tools)).length
    console.log(`      the list of tools: ${tokens} tokens (o200k_base)`)
    expect(tokens).to.be.at.most(MOST_TOKENS)
  })

  for (const { name, inputSchema, description } of tools)
    it(`describes ${name} by a schema that every client takes, and by an example that it accepts`, () => {
      for (const keyword of REFUSED_AT_THE_TOP) expect(inputSchema).to.not.have.property(keyword)
      const tool = TOOLS.find((one) => one.name === name)!
      const { example } = tool
      expect(description).to.contain(JSON.stringify(example))
      expect(new Ajv2020({ strict: false, validateFormats: false }).validate(inputSchema, example)).to.equal(true)
      const exact = fields.exactSchemaOf(tool)
      const ajv = createAjv({ allErrors: true })
      expect(ajv.validate(exact, example)).to.equal(true)
      expect(ajv.validate(exact, { ...example, op: 'burn' })).to.equal(false)
      expect(ajv.validate(exact, { ...example, wings: 2 })).to.equal(false)
    })
})
