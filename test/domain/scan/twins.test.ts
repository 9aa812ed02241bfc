import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { scanSkill } from '../../../domain/scan/scan-skill.js'

interface Twins {
  readonly idea: string
  readonly code: string
  readonly severity: string
  readonly harmful: string
  readonly harmless: string
}

const TWINS = parse(readFileSync(new URL('twins.yaml', import.meta.url), 'utf8')) as Twins[]

const findingsIn = (text: string) =>
  scanSkill({ content: `# Notes\n\nHow this works.\n\n${text}` })
    .findings.filter(({ severity }) => severity !== 'info')
    .map(({ code, severity }) => ({ code, severity }))

describe('the scan of ideas', () => {
  for (const { idea, code, severity, harmful, harmless } of TWINS)
    it(`finds a text that ${idea}, and not its twin`, () => {
      expect(findingsIn(harmful)).to.deep.include({ code, severity })
      expect(findingsIn(harmless)).to.deep.equal([])
    })
})
