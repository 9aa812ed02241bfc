import { expect } from 'chai'
import { CLIENT_SETTINGS, SETTINGS } from '../../runtime/settings.js'
import { unknownSettings } from '../../runtime/unknown-settings.js'

describe('variables that look like settings', () => {
  const told = (...names: string[]) =>
    unknownSettings(Object.fromEntries(names.map((name) => [name, 'x']))).map(({ name, suggestion }) => [
      name,
      suggestion,
    ])

  for (const [name, suggestion] of [
    ['RATE_LIMIT_RECALL', 'RATE_LIMIT_RECALLS'],
    ['EMBEDDINGS_API_KEY', 'EMBEDDINGS_KEY'],
    ['LLM_MODELS', 'LLM_MODEL'],
    ['CAIRN_PORT', 'PORT'],
    ['CAIRN_KEY', null],
    ['LLM_TEMPERATURE', null],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['REDIS_URI', 'REDIS_URL'],
  ] as const)
    it(`${name} is reported${suggestion === null ? '' : `, with ${suggestion}`}`, () =>
      expect(told(name)).to.deep.equal([[name, suggestion]]))

  it('settings, empty variables and those of other programs are not reported', () => {
    expect(told(...Object.keys(SETTINGS), ...Object.keys(CLIENT_SETTINGS))).to.deep.equal([])
    expect(unknownSettings({ RATE_LIMIT_RECALL: '' })).to.deep.equal([])
    const others = ['PATH', 'HOSTNAME', 'PORTS', 'REDIS_PORT_6379_TCP', 'DATABASE_PASSWORD', 'OPENSEARCH_JAVA_OPTS']
    expect(
      told(
        ...others,
        'LOG_DIR',
        'TLS_CA',
        'XDG_DATA_DIRS',
        'CAIRN_TEST_SERVICES',
        'CAIRN_PASSWORD',
        'npm_config_cache',
      ),
    ).to.deep.equal([])
  })
})
