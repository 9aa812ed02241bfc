import { expect } from 'chai'
import { openapiDocument } from '../../contract/openapi-document.js'
import type { Schema } from '../../contract/openapi-types.js'

type Properties = Readonly<Record<string, Schema>>

/** Returns the paths of a tree, groups and settings alike, with their schemas. */
function walk(properties: Properties, path = ''): [path: string, schema: Schema][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const here = `${path}${name}`
    return [[here, schema], ...walk((schema.properties ?? {}) as Properties, `${here}.`)] as [string, Schema][]
  })
}

describe('the schema of a change of settings', () => {
  const schemas = openapiDocument().components!.schemas as Properties
  const whole = walk(schemas.Settings!.properties as Properties)
  const { tenant_id, ...parts } = schemas.SettingsChange!.properties as Properties
  const change = new Map(walk(parts))

  it('has the whole tree, and the tenant’s id', () => {
    expect([...change.keys()]).to.deep.equal(whole.map(([path]) => path))
    expect(tenant_id).to.deep.equal({ $ref: '#/components/schemas/TenantId' })
    expect(schemas.SettingsChange!.additionalProperties).to.equal(false)
  })

  for (const [path, schema] of whole)
    it(`lets ${path} be absent, null or within the same bounds`, () => {
      const { type, enum: values, required, default: usual, properties: _, ...same } = schema
      const { type: types, enum: allowed, properties: __, ...part } = change.get(path)!
      expect(types).to.deep.equal([type, 'null'])
      expect(allowed).to.deep.equal(values && [...(values as unknown[]), null])
      expect(part).to.deep.equal(same)
      // In the tree each group requires all of its fields, and each setting has a default.
      expect(type === 'object' ? required : usual).to.not.equal(undefined)
    })
})
