import { expect } from 'chai'
import { memoryTable } from '../../cli/memory-table.js'
import { printable, printableJson, printableLines } from '../../cli/printable.js'
import { reportFailure } from '../../cli/failure.js'

const STEERING = [
  '\u001b',
  '\r',
  '\u009b',
  '\u202e',
  '\u2066',
  '\u200f',
  '\u061c',
  '\u2028',
  '\u200b',
  '\ufeff',
  '\u{e0041}',
]

describe('texts of others on the command line', () => {
  for (const character of STEERING) {
    const name = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
    it(`have ${name} shown as a replacement character`, () => {
      expect(printable(`a${character}b`)).to.equal('a\ufffdb')
    })
    it(`have ${name} in JSON as an escape of the same value`, () => {
      const value = { [`k${character}`]: `a${character}b` }
      const json = printableJson(JSON.stringify(value, null, 2))
      expect(json).to.not.contain(character)
      expect(JSON.parse(json)).to.deep.equal(value)
    })
  }

  it('keep lines, joined emoji and every script', () => {
    const text = 'a\tb\nc 👩‍💻 می‌خواهم नमस्ते 漢字 שלום é'
    expect(printable(text)).to.equal(text)
    expect(printableJson(text)).to.equal(text)
  })

  it('have the lines of every system, and no carriage return within them', () => {
    expect(printableLines('a\r\nb\nc\rd\r\n')).to.equal('a\nb\nc\ufffdd\n')
    const memory = { created_at: '2026-01-01', memory_type: 'fact', title: null, content: 'a note\r\nof two lines\r\n' }
    const table = memoryTable([memory as never], { head: 'id', width: 4, valueOf: () => 'x' })
    expect(table).to.contain('a note').and.to.contain('of two lines').and.not.to.contain('\ufffd')
  })

  it('are replaced in the message of a failure too', () => {
    const { error } = console
    const said: string[] = []
    console.error = (line: string) => void said.push(line)
    try {
      reportFailure(new Error('no \u202eelif'))
    } finally {
      console.error = error
    }
    expect(said[0]).to.contain('no \ufffdelif').and.not.contain('\u202e')
  })
})
