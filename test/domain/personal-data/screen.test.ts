import { expect } from 'chai'
import { EMPTY_DRAFT } from '../../../domain/memory-draft.js'
import { screenInSteps, screenPersonalData, type ScreenedFields } from '../../../domain/personal-data/screen.js'
import { Slices } from '../../../runtime/slices.js'

const EMAIL = 'ana@example.com'
const EMPTY: ScreenedFields = { ...EMPTY_DRAFT, content: 'x', data: {}, docId: 'd' }
const link = (name: string | null) => ({ entityId: null, name, entityType: null, role: null })

describe('the policy for personal data', () => {
  it('reports nothing for fields without any', () => {
    for (const policy of ['flag', 'mask', 'refuse'] as const)
      expect(screenPersonalData(EMPTY, policy)).to.deep.equal({ fields: EMPTY, faults: [], pii: null })
  })

  it('counts the findings of each field and leaves the fields unchanged under flag', () => {
    const fields = { ...EMPTY, content: `${EMAIL} and ${EMAIL}`, title: 'call +49 170 1234567' }
    const screened = screenPersonalData(fields, 'flag')
    expect(screened.fields).to.deep.equal(fields)
    expect(screened.pii).to.deep.equal({
      kinds: ['email', 'phone'],
      count: 3,
      fields: { content: { kinds: ['email'], count: 2 }, title: { kinds: ['phone'], count: 1 } },
    })
  })

  it('verifies few candidates of all texts together, and counts the others by their shape', () => {
    const wrong = Array.from({ length: 40 }, () => '4111 1111 1111 1112')
    const held = (given: Partial<ScreenedFields>) => screenPersonalData({ ...EMPTY, ...given }, 'flag').pii?.count ?? 0
    expect(held({ metadata: { wrong } })).to.equal(0)
    expect(held({ metadata: { wrong: [...wrong, ...wrong] } })).to.equal(30)
    expect(held({ metadata: { wrong }, scope: { wrong } })).to.equal(30)
  })

  it('masks every field that contains text', () => {
    const { fields } = screenPersonalData(
      {
        content: `mail ${EMAIL}`,
        title: EMAIL,
        objectValue: EMAIL,
        sourceUri: 'https://ana:p4ss@example.com/',
        metadata: { list: [EMAIL, { deep: `<${EMAIL}>` }], count: 7, on: true, none: null, password: 'hunter2' },
        scope: { to: EMAIL },
        links: [link('Ana'), link(EMAIL), link(null)],
      },
      'mask',
    )
    expect(fields).to.deep.equal({
      content: 'mail [email]',
      title: '[email]',
      objectValue: '[email]',
      sourceUri: 'https://ana:[password]@example.com/',
      metadata: { list: ['[email]', { deep: '<[email]>' }], count: 7, on: true, none: null, password: '[password]' },
      scope: { to: '[email]' },
      links: [link('Ana'), link(null)],
    })
  })

  it('recognises secrets in metadata by the names of their fields', () => {
    const kindsOf = (metadata: Record<string, unknown>) => screenPersonalData({ metadata }, 'flag').pii?.kinds ?? []
    expect(kindsOf({ db_password: 'tr0ub4dor' })).to.deep.equal(['password'])
    expect(kindsOf({ apiKey: 'abcd1234abcd1234' })).to.deep.equal(['api_key'])
    for (const harmless of [
      { password: 'required' },
      { token: 'short' },
      { monkey: 'abcd1234abcd1234' },
      { tokens: 'abcd1234abcd1234' },
    ])
      expect(kindsOf(harmless), JSON.stringify(harmless)).to.deep.equal([])
  })

  it('treats a number as the text that it is written as, and ignores numbers that cannot be personal data', () => {
    const data = {
      card: 4111111111111111,
      list: [1_795_360_319_551, 4111111111111112],
      password: 12345678,
      n: -5,
      x: 0.5,
    }
    expect(screenPersonalData({ data }, 'flag').pii).to.deep.equal({
      kinds: ['credit_card', 'password'],
      count: 2,
      fields: { data: { kinds: ['credit_card', 'password'], count: 2 } },
    })
    const masked = { ...data, card: '[credit_card]', password: '[password]' }
    expect(screenPersonalData({ data }, 'mask').fields).to.deep.equal({ data: masked })
    expect(screenPersonalData({ data: { card: data.card } }, 'refuse').faults).to.have.length(1)
  })

  it('checks a predicate, the role of a link, and a run, which is a name', () => {
    const fields = { predicate: `mails ${EMAIL}`, runId: `run of ${EMAIL}`, links: [{ ...link('Ana'), role: EMAIL }] }
    const { pii } = screenPersonalData(fields, 'flag')
    expect(Object.keys(pii!.fields)).to.have.members(['predicate', 'run_id', 'entity_links'])
    const masked = screenPersonalData(fields, 'mask')
    expect([masked.fields.predicate, masked.fields.links]).to.deep.equal(['mails [email]', []])
    expect(masked.faults.map(({ field }) => field)).to.deep.equal(['run_id'])
  })

  it('counts findings in keys and names and leaves them unchanged under flag', () => {
    const fields = { metadata: { [EMAIL]: 1 }, scope: { list: [{ [EMAIL]: EMAIL }] }, docId: `mail/${EMAIL}` }
    const { fields: kept, faults, pii } = screenPersonalData(fields, 'flag')
    expect([kept, faults]).to.deep.equal([fields, []])
    const finding = (count: number) => ({ kinds: ['email'], count })
    expect(pii?.fields).to.deep.equal({ metadata: finding(1), scope: finding(2), doc_id: finding(1) })
  })

  it('refuses findings in keys and names, reporting their kinds, under mask and refuse', () => {
    for (const policy of ['mask', 'refuse'] as const) {
      const fields = { metadata: { a: { [EMAIL]: 1 } }, data: { [EMAIL]: EMAIL, b: EMAIL }, docId: EMAIL }
      const { faults } = screenPersonalData(fields, policy)
      expect(faults.map(({ field }) => field)).to.deep.equal(['metadata', 'data', 'doc_id'])
      for (const { message } of faults) expect(message).to.contain('email').and.not.contain(EMAIL)
    }
  })

  const isNamed = (docId: string) => screenPersonalData({ docId }, 'refuse').faults.length > 0

  it('verifies the keys of a large table', () => {
    const names = Array.from({ length: 400 }, (_, i) => `DE89370400440532${1000 + i}00`)
    const right = names.filter(isNamed)
    expect(right.length).to.be.within(1, 40)
    const data = Object.fromEntries(names.map((name) => [name, 1]))
    expect(screenPersonalData({ data }, 'flag').pii?.count).to.equal(right.length)
  })

  const secretKey = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'
  for (const name of [
    `mail/${EMAIL}`,
    `user:${EMAIL}:inbox`,
    'mail%2Fana%40example.com',
    'mail/ana%2540example.com',
    'mail/ana\uff20example.com',
    'a\u00adna@example.com',
    `tokens/${secretKey}`,
    `token:${secretKey}`,
    `tokens%2F${secretKey}`,
    'account/DE89370400440532013000',
    'db/postgres:%2F%2Fapp:s3cr3t@db/x',
  ])
    it(`finds personal data in the name ${name}`, () => expect(isNamed(name)).to.equal(true))

  for (const name of [
    'orders/4111111111111111',
    'order:4111-1111-1111-1111',
    'calls/+491701234567',
    'people/415-555-2671',
    'cases/536-90-4399',
    'pkg:npm/%40angular/core@12.0.0',
    'git@github.com:owner/repository',
    '100%/50%zz/%C3',
    'image@sha256:4111',
  ])
    it(`finds nothing in the name ${name}`, () => expect(isNamed(name)).to.equal(false))

  it('reads the key of a value as its label', () => {
    const held = (metadata: Record<string, unknown>) => screenPersonalData({ metadata }, 'mask').fields.metadata
    expect(held({ mobilePhone: '0170 1234567', ssn: 536904399 })).to.deep.equal({
      mobilePhone: '[phone]',
      ssn: '[national_id]',
    })
    const tracking = { trackingNumber: '4532015112830366', order_id: 4532015112830366, 订单号: '4532015112830366' }
    expect(held(tracking)).to.deep.equal(tracking)
    expect(held({ note: 'to 4532015112830366' })).to.deep.equal({ note: 'to [credit_card]' })
  })

  it('checks the type of a linked entity as well as its name and role', () => {
    const links = [{ ...link('Ana'), entityType: EMAIL }, link('Ben')]
    expect(screenPersonalData({ links }, 'flag').pii?.fields).to.deep.equal({
      entity_links: { kinds: ['email'], count: 1 },
    })
    expect(screenPersonalData({ links }, 'mask').fields.links).to.deep.equal([link('Ben')])
    expect(screenPersonalData({ links }, 'refuse').faults.map(({ field }) => field)).to.deep.equal(['entity_links'])
  })

  it('finds the same when yielding, with several at once', async () => {
    const fields = {
      ...EMPTY,
      content: `${EMAIL} +49 170 1234567 `.repeat(200),
      metadata: { list: [EMAIL], password: 'hunter2' },
    }
    for (const policy of ['flag', 'mask', 'refuse'] as const) {
      const inSlices = () => new Slices({ sliceMs: 0 }).run(screenInSteps(fields, policy))
      const whole = screenPersonalData(fields, policy)
      expect(await Promise.all([inSlices(), inSlices()])).to.deep.equal([whole, whole])
      let steps = 0
      for (const work = screenInSteps(fields, policy); !work.next().done;) steps++
      expect(steps).to.be.at.least(400)
    }
  })

  it('names the kinds and the field but not the value when it refuses', () => {
    const { faults } = screenPersonalData({ ...EMPTY, content: EMAIL, metadata: { a: EMAIL } }, 'refuse')
    expect(faults.map(({ field }) => field)).to.deep.equal(['content', 'metadata'])
    expect(faults[0]!.message).to.contain('email').and.not.contain(EMAIL)
  })

  it('keeps the findings of fields that a change does not name', () => {
    const before = screenPersonalData({ ...EMPTY, content: EMAIL, title: EMAIL }, 'flag').pii
    const titled = screenPersonalData({ title: 'clean' }, 'flag', before)
    expect(titled.pii).to.deep.equal({
      kinds: ['email'],
      count: 1,
      fields: { content: { kinds: ['email'], count: 1 } },
    })
    expect(screenPersonalData({ content: 'clean' }, 'flag', titled.pii).pii).to.equal(null)
  })

  it('reads a key of any length once, however many values it has', () => {
    // If the key were read for each value, this would take minutes.
    const data = { holder: { ['é'.repeat(65_536) + ' password']: Array<string>(40_000).fill('') } }
    expect(screenPersonalData({ data }, 'flag').pii).to.equal(null)
    const secret = { ['x'.repeat(100_000) + ' Passwort']: 'k7-Fd92x' }
    expect(screenPersonalData({ data: secret }, 'flag').pii!.kinds).to.deep.equal(['password'])
  })

  it('stops when its request is aborted', async () => {
    const over = new AbortController()
    over.abort(new Error('over'))
    const work = new Slices({ signal: over.signal }).run(screenInSteps({ content: EMAIL }, 'flag'))
    expect(await work.then(null, (error: Error) => error.message)).to.equal('over')
  })
})
