import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { CLIENT_SETTINGS, settingsTable } from '../runtime/settings.js'

describe('README', () => {
  it('lists every setting as the program reads it', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
    const rows = (text: string) =>
      text
        .split('\n')
        .filter((line) => /^\| `[A-Z_]+` \|/.test(line))
        .map((line) => line.replace(/\s+/g, ' '))
    expect(rows(readme)).to.deep.equal(rows(settingsTable()))
    for (const name of Object.keys(CLIENT_SETTINGS)) expect(readme).to.contain(`\`${name}\``)
  })
})
