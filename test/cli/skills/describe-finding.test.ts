import { expect } from 'chai'
import { describeFinding } from '../../../cli/refusals.js'

const FINDING = {
  code: 'prompt_concealment',
  severity: 'warn',
  message: 'It hides something.',
  advice: 'Say why.',
  field: 'content',
  line: 9,
  column: 4,
  quote: 'Do not tell\nthe user',
} as const

describe('the lines about a finding', () => {
  it('say the place, the words and what to do', () => {
    expect(describeFinding(FINDING).split('\n')).to.deep.equal([
      '  warn prompt_concealment in content, line 9, column 4: It hides something.',
      '    “Do not tell the user”',
      '    Say why.',
    ])
  })

  it('say what a model thinks of the words, and which', () => {
    const opinion = { verdict: 'harmless', reason: 'It warns.', model: 'openai:small' } as const
    expect(describeFinding({ ...FINDING, opinion }).split('\n')[2]).to.equal(
      '    openai:small thinks: harmless. It warns.',
    )
  })
})
