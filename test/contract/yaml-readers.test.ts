import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

/** PyYAML reads YAML 1.1, which more programs read than the revision of the library that the service uses. */
const READ = `
import json, sys, yaml
document = yaml.safe_load(open(sys.argv[1], encoding='utf-8'))
print(json.dumps(document, default=str))
`

/** Needs Python and PyPI: pending where they are missing, unless the run requires everything. */
describe('openapi.yaml', function () {
  this.timeout(240_000)

  it('is the same document to PyYAML as to the library that the service reads it with', async function () {
    // Its packages contain PyYAML.
    const installed = run(process.execPath, [join(ROOT, 'scripts/python-tools.mjs'), 'schemathesis'])
    const found = await installed.catch((error: unknown) => {
      if (process.env.CAIRN_TEST_SERVICES === 'require') throw error
      return null
    })
    if (found === null) return this.skip()
    const python = join(found.stdout.trim(), 'python')
    const { stdout } = await run(python, ['-c', READ, join(ROOT, 'openapi.yaml')], { maxBuffer: 64_000_000 })
    expect(JSON.parse(stdout)).to.deep.equal(
      parse(readFileSync(join(ROOT, 'openapi.yaml'), 'utf8'), { merge: true, maxAliasCount: -1 }),
    )
  })
})
