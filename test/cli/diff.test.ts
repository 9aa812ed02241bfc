import { expect } from 'chai'
import { coloredDiff } from '../../cli/diff.js'

describe('a diff on the terminal', () => {
  const { FORCE_COLOR } = process.env
  const colored = (force: string) => {
    process.env.FORCE_COLOR = force
    return coloredDiff('@@ -1 +1 @@\n-old\n+new \u001b[2J\n same')
  }
  after(() => {
    if (FORCE_COLOR === undefined) delete process.env.FORCE_COLOR
    else process.env.FORCE_COLOR = FORCE_COLOR
  })

  it('has colours where the terminal has them, and none elsewhere', () => {
    expect(colored('1')).to.equal(
      '\u001b[36m@@ -1 +1 @@\u001b[39m\n\u001b[31m-old\u001b[39m\n\u001b[32m+new \ufffd[2J\u001b[39m\n same',
    )
    expect(colored('0')).to.equal('@@ -1 +1 @@\n-old\n+new \ufffd[2J\n same')
  })
})
