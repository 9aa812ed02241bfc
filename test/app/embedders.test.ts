import { expect } from 'chai'
import { createEmbedders, embedderId } from '../../app/embedders.js'
import { createConfig, readEnv } from '../../runtime/config.js'
import { ConfigError, InvalidArgumentsError } from '../../runtime/errors.js'
import { thrownBy } from '../support/failures.js'

describe('the names of embedders', () => {
  const names: [name: string, id: string][] = [
    ['builtin', 'static-multi-480'],
    ['builtin:en', 'static-en-256'],
    ['built-in:en', 'static-en-256'],
    ['static-en-256', 'static-en-256'],
    ['local:m', 'local:m'],
    ['openai:m', 'openai:m'],
    ['m', 'openai:m'],
    ['builtin2', 'openai:builtin2'],
  ]
  for (const [name, id] of names)
    it(`takes ${name} for ${id}`, () => {
      expect(embedderId(name)).to.equal(id)
    })

  it('takes built-in for builtin', () => {
    expect(embedderId('built-in')).to.equal(embedderId('builtin'))
  })

  for (const name of ['builtin:', 'builtin:de', 'built-in:EN', 'builtin:en '])
    it(`refuses ${JSON.stringify(name)}, and names those that there are`, async () => {
      expect(() => embedderId(name)).to.throw(ConfigError, /EMBEDDINGS_MODEL: .* builtin and builtin:en/)
      const embedders = createEmbedders(createConfig(readEnv({})).embeddings)
      const error = await thrownBy(embedders.openNamed(name))
      expect(error).to.be.instanceOf(InvalidArgumentsError)
    })
})
