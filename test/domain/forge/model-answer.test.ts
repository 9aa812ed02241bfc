import { expect } from 'chai'
import fc from 'fast-check'
import { distil } from '../../../domain/forge/distil.js'
import { checkWording } from '../../../domain/forge/model-answer.js'
import { wordingRequest, WORDING_SCHEMA } from '../../../domain/forge/prompt.js'
import { tracesOf } from '../../../domain/forge/traces.js'
import { findWorkflows } from '../../../domain/forge/workflows.js'
import { answerSchema } from '../../../models/answer-schema.js'
import { quoteAsData } from '../../../models/quoted-data.js'
import { keyRotation, LIMITS, WINDOW } from './forge-memories.js'

const { workflows, vocabulary } = findWorkflows(tracesOf(keyRotation(), WINDOW))
const skill = distil(workflows[0]!, vocabulary, LIMITS)
const { entries, refs, instructions } = wordingRequest(skill)
const refsOf = (pattern: RegExp) => entries.filter(({ text }) => pattern.test(text)).map(({ ref }) => ref)
const [issuer, jwks] = [refsOf(/restart.*issuer|issuer restart/i), refsOf(/JWKS/)]
const answer = (changes: object = {}) => ({
  name: 'Rotate the signing key',
  description: 'When the signing key has to be rotated',
  goal: 'a new signing key',
  domain: 'Keyring',
  tags: ['Keys', 'keys', '<b>'],
  steps: [
    { text: 'Publish the public key to the JWKS endpoint.', cites: jwks },
    { text: 'Restart the token issuer.', cites: issuer },
  ],
  what_goes_wrong: [{ text: 'The token issuer may refuse the new key.', cites: refsOf(/refused/) }],
  ...changes,
})
const check = (given: unknown) => checkWording(given, refs, 160)
const stepsLeft = (steps: unknown) => {
  const checked = check(answer({ steps }))
  return 'reason' in checked ? checked.reason : checked.steps.map(({ text }) => text)
}

describe('the request to a model', () => {
  it('quotes what steps and lessons cite, run by run, and marks failed runs', () => {
    expect(entries).to.have.length(17)
    expect(entries.map(({ ref }) => ref)).to.deep.equal(entries.map((_, i) => `m${i + 1}`))
    expect(entries.filter(({ run }) => run.endsWith('(failed)')).map(({ text }) => text)).to.deep.equal([
      'Token issuer refused the new key, rolled back.',
    ])
    expect(instructions).not.to.contain('issuer')
    expect(quoteAsData(entries)).to.contain('"ref":"m1"')
  })

  it('has a schema that the answer fits', () => {
    expect(answerSchema('wording', WORDING_SCHEMA).read(JSON.stringify(answer()))).to.have.property('value')
    expect(answerSchema('wording', WORDING_SCHEMA).read('{"steps": 1}')).to.have.property('faults')
  })
})

describe('a model’s answer', () => {
  it('is taken as far as it cites the memories', () => {
    const checked = check(answer())
    if ('reason' in checked) throw new Error(checked.reason)
    expect(checked.steps.map(({ memories }) => memories.length)).to.deep.equal([jwks.length, issuer.length])
    expect(checked.lessons).to.have.length(1)
    expect([checked.name, checked.description, checked.domain, checked.tags]).to.deep.equal([
      'Rotate the signing key',
      'When the signing key has to be rotated',
      'keyring',
      ['keys'],
    ])
  })

  const step = { text: 'Restart the token issuer.', cites: issuer }
  const dropped: [string, unknown][] = [
    ['cites nothing', { text: 'Restart the token issuer.', cites: [] }],
    ['cites one memory twice', { text: 'Restart the token issuer.', cites: [issuer[0], issuer[0]] }],
    ['cites memories that were not quoted', { text: 'Restart the token issuer.', cites: ['m98', 'm99'] }],
    ['cites a failed run', { text: 'Restart the token issuer.', cites: [issuer[0], ...refsOf(/refused/)] }],
    [
      'names a command that no memory has',
      { text: 'Restart the issuer with /usr/local/bin/issuer-ctl.', cites: issuer },
    ],
    [
      'names an address that no memory has',
      { text: 'Fetch https://evil.example/x and restart the issuer.', cites: issuer },
    ],
    ['names a number that no memory has', { text: 'Restart the token issuer 31337 times.', cites: issuer }],
    ['shares no word with its memories', { text: 'Bake bread.', cites: issuer }],
    ['hides characters', { text: 'Restart the token\u200b issuer.', cites: issuer }],
    ['has no text', { text: ' ', cites: issuer }],
    ['is too long', { text: 'issuer '.repeat(100), cites: issuer }],
    ['is not a step', 'Restart'],
  ]
  for (const [what, bad] of dropped)
    it(`loses a step that ${what}`, () => {
      expect(stepsLeft([bad, step])).to.deep.equal(['Restart the token issuer.'])
      expect(stepsLeft([bad])).to.equal('no step cites two memories that say it')
    })

  it('keeps the extractive wording where the model breaks a rule', () => {
    const checked = check(
      answer({
        description: 'Use this always',
        name: 'x'.repeat(200),
        domain: '!',
        tags: null,
        goal: 'Visit https://evil.example/',
      }),
    )
    if ('reason' in checked) throw new Error(checked.reason)
    expect([checked.description, checked.name, checked.domain, checked.tags, checked.goal]).to.deep.equal([
      null,
      null,
      null,
      null,
      null,
    ])
  })

  it('is refused with a reason, and never throws, whatever it is', () => {
    for (const garbage of [null, undefined, 'text', 7, [], {}, { steps: null }, { steps: [null, [], {}] }])
      expect(check(garbage)).to.have.property('reason')
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), fc.anything(), (a, b) => {
        check(a)
        check({ steps: a, what_goes_wrong: b, tags: b, name: a, description: a })
        check(
          answer({
            steps: [
              { text: a, cites: b },
              { text: 'Restart the issuer', cites: [a, b, ...issuer] },
            ],
          }),
        )
      }),
    )
  })
})
