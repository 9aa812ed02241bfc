import { expect } from 'chai'
import { isNearDuplicate, isNearDuplicateInSteps } from '../../../domain/near-duplicates/is-near-duplicate.js'
import { TextReading } from '../../../domain/near-duplicates/text-reading.js'

const isNear = (a: string, b: string) => isNearDuplicate(new TextReading(a, null), new TextReading(b, null))

describe('two similar texts', () => {
  const same: [string, string][] = [
    ['The staging database moved to port 6432 on Tuesday.', 'the staging database was moved to port 6432 on tuesday'],
    ['Ana prefers dark roast coffee in the morning', 'Ana prefers dark roast coffee in the mornings!'],
    ['The user likes dark mode in the editor', 'The user really likes dark mode in the editor'],
    ['Deploys need two approvals from the team', 'Deploys need two approvals by the team.'],
    ['The recieved invoice is wrong', 'The received invoice is wrong'],
    ["The build isn't green", 'The build is not green'],
    ['one two three', 'one two three'],
    ['Use git branch -d to delete it', 'Use git branch -D to delete it'],
    ['if x:\n  a()\nb()', 'if x:\n  a()\n  b()'],
    ['Ship it to the US', 'ship it to the us'],
    ['retry 5 times\nthen stop', 'retry 5   times\n    then stop'],
    ['Call getUserName first', 'call getusername first'],
    ['Water is H\u2082O', 'Water is H2O'],
    ['All the tests pass', 'The tests pass'],
    ['All nodes restart at night', 'Each node restarts at night'],
    ['Some tests fail on the runner', 'Tests fail on the runner'],
    ['', ''],
  ]
  for (const [a, b] of same)
    it(`are near duplicates: ${JSON.stringify(a)} and ${JSON.stringify(b)}`, () => {
      expect([isNear(a, b), isNear(b, a)]).to.deep.equal([true, true])
    })

  const different: [what: string, a: string, b: string][] = [
    ['a number', 'The build takes 5 minutes on the runner', 'The build takes 6 minutes on the runner'],
    ['a decimal', 'The ratio is 1.5 here', 'The ratio is 15 here'],
    ['a sign', 'It is -5 outside', 'It is 5 outside'],
    ['a superscript', 'The room has 10\u00b2 tiles', 'The room has 102 tiles'],
    ['a comparison', 'Alert when the load < 5 holds', 'Alert when the load > 5 holds'],
    ['a negating operator', 'if (ready) start()', 'if (!ready) start()'],
    ['an operator', 'a && b is checked', 'a || b is checked'],
    ['a unit', 'The disk has 5 GB left', 'The disk has 5 MB left'],
    ['a currency', 'It costs $5 now', 'It costs €5 now'],
    ['a number in words', 'Deploys need two approvals', 'Deploys need three approvals'],
    ['numbers that change places', 'from 5 am to 6 pm, 10 a day', 'from 6 am to 5 pm, 10 a day'],
    ['a negation', 'The user likes dark mode', 'The user does not like dark mode'],
    ['a contracted negation', 'The job can run at noon', "The job can't run at noon"],
    ['another negating word', 'Ana likes the rain', 'Ana hardly likes the rain'],
    ['a negation that moves', 'Ana did not ask Ben to go', 'Ana did ask Ben not to go'],
    ['a word that restricts', 'Only admins may deploy', 'All admins may deploy'],
    ['a word that restricts, which only one has', 'Admins may deploy', 'Only admins may deploy'],
    ['a share', 'All admins may deploy', 'Some admins may deploy'],
    ['a larger share', 'Most tests pass on the runner', 'All tests pass on the runner'],
    ['a choice', 'Any of the nodes restarts', 'All of the nodes restart'],
    ['every and none', 'Every test passes on the runner', 'None of the tests passes on the runner'],
    ['the order of words', 'Alice manages Bob', 'Bob manages Alice'],
    ['the order of clauses', 'the cat chased the dog', 'the dog chased the cat'],
    [
      'a name',
      'The deploy by Ana failed because the disk was full',
      'The deploy by Ben failed because the disk was full',
    ],
    ['an identifier', 'See OPS-1423 for the failed deploy', 'See OPS-1424 for the failed deploy'],
    ['a service', 'The billing-api is down again', 'The payment-api is down again'],
    ['a day', 'The release is on Monday', 'The release is on Tuesday'],
    ['a day that only one names', 'The release goes out', 'The release goes out on Monday'],
    ['a name that only one has', 'The deploy of the service failed', 'The deploy of the service by Ana failed'],
    ['a content word on each side', 'Ana likes tea after a long run', 'Ana likes coffee after a long run'],
    ['a letter of a short word', 'The cat sleeps in the den', 'The bat sleeps in the den'],
    ['nothing in common', 'Bread and salt', 'The fox in the den'],
  ]
  for (const [what, a, b] of different)
    it(`are no near duplicates when they differ in ${what}`, () => {
      expect([isNear(a, b), isNear(b, a)]).to.deep.equal([false, false])
    })

  it('are compared quickly, however long', () => {
    const words = (from: number) =>
      [...Array(1_900).keys()].map((i) => `word${'abcdefghij'[(i * 7 + from) % 10]}`).join(' ')
    expect(isNear(words(0), words(3))).to.equal(false)
    expect(isNear('1.'.repeat(5_000), '1.'.repeat(4_999))).to.equal(false)
    expect(isNear('a '.repeat(5_000), 'a '.repeat(4_990))).to.equal(true)
  })

  it('are compared in many steps, whatever the script', () => {
    for (const [language, words] of [
      ['en', 'word '],
      ['zh', '发票服务无法使用'],
      ['ja', 'データベースの'],
      ['th', 'ประเทศไทย'],
    ] as const) {
      const text = words.repeat(Math.ceil(10_000 / words.length))
      const steps = [...isNearDuplicateInSteps(new TextReading(text, language), new TextReading(`${text}x`, language))]
      expect(steps.length, words).to.be.at.least(20)
    }
  })
})
