import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { tables } from '../../scripts/tables/generate.js'

describe('the packed tables', () => {
  it('are up to date', async () => {
    for (const [path, content] of Object.entries(await tables())) {
      const stored = await readFile(new URL(`../../${path}`, import.meta.url))
      expect(stored.equals(content), `${path} is stale: run \`npm run generate\``).to.equal(true)
    }
  })
})
