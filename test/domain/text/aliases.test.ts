import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { nameKey } from '../../../domain/text/memory-text.js'
import { abbreviates, aliasesIn, shortForms } from '../../../domain/text/names/aliases.js'

interface Sentence {
  readonly text: string
  readonly name: string
  readonly alias: string
}

const { stated, unstated } = parse(readFileSync(new URL('aliases.yaml', import.meta.url), 'utf8')) as {
  readonly stated: readonly Sentence[]
  readonly unstated: readonly Sentence[]
}

describe('other names of a thing', () => {
  for (const { text, name, alias } of stated)
    it(`are read beside ${name}: ${text}`, () => {
      const keys = aliasesIn(text, [name]).flatMap((one) => one.keys)
      expect(keys).to.include(nameKey(alias))
    })

  for (const { text, name, alias } of unstated)
    it(`are not read beside ${name}: ${text}`, () => {
      expect(aliasesIn(text, [name]).flatMap((one) => one.keys)).not.to.include(nameKey(alias))
    })

  it('are one in brackets, of which the longest comes first', () => {
    expect(aliasesIn('Ask Maria Lopez (@mlopez) today.', ['@mlopez'])).to.deep.equal([
      { reason: 'brackets', keys: ['ask maria lopez', 'maria lopez', 'lopez'] },
    ])
  })

  it('are read in any case, and only of whole words', () => {
    const keys = (text: string) => aliasesIn(text, ['Bill']).flatMap((one) => one.keys)
    expect(keys('BILL, aka Ben.')).to.include('ben')
    expect(keys('Billing, aka Ben.')).to.deep.equal([])
    expect(keys('Handbill, aka Ben.')).to.deep.equal([])
  })

  it('are bounded in a text that repeats them', () => {
    expect(aliasesIn('Bill, aka Ben. '.repeat(5_000), ['Bill'])).to.have.length(20)
    expect(aliasesIn(`Bill${' '.repeat(50_000)}aka Ben.`, ['Bill'])).to.deep.equal([])
    expect(aliasesIn('a'.repeat(20_000), ['a'.repeat(1_000)])).to.deep.equal([])
  })
})

describe('a short name', () => {
  for (const [short, long, is] of [
    ['nsf', 'national science foundation', true],
    ['k8s', 'kubernetes', true],
    ['k9s', 'kubernetes', false],
    ['asl', 'american sign language', true],
    ['sal', 'american sign language', false],
    ['rob', 'robert', true],
    ['london', 'maria lopez', false],
    ['a', 'american', false],
  ] as const)
    it(`${short} ${is ? 'abbreviates' : 'does not abbreviate'} ${long}`, () => {
      expect(abbreviates(short, long)).to.equal(is)
    })

  it('has the initials, the ends, or is a handle', () => {
    expect(shortForms('robert smith')).to.include.members([
      'r smith',
      'r. smith',
      'robert s.',
      'rsmith',
      '@robert.smith',
    ])
    expect(shortForms('amazon web services')).to.include.members(['aws', 'amazon services'])
    for (const none of ['robert', 'port 6432', 'v1.2.3 rc', '']) expect(shortForms(none)).to.deep.equal([])
  })
})
