import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { CLIENT_SETTINGS, settingsTable } from '../runtime/settings.js'

describe('docs/configuration.md', () => {
  it('lists every setting as the program reads it', () => {
    const document = readFileSync(new URL('../docs/configuration.md', import.meta.url), 'utf8')
    const rows = (text: string) =>
      text
        .split('\n')
        .filter((line) => /^\| `[A-Z_]+` \|/.test(line))
        .map((line) => line.replace(/\s+/g, ' '))
    expect(rows(document)).to.deep.equal(rows(settingsTable()))
    for (const [name, { doc }] of Object.entries(CLIENT_SETTINGS))
      expect(document).to.contain(`- \`${name}\`: ${doc}\n`)
  })
})
