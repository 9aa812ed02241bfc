import { expect } from 'chai'
import fc from 'fast-check'
import { DEFAULT_SETTINGS } from '../../../domain/settings/settings.gen.js'
import { changedSettings, differencesOf, type SettingsChange } from '../../../domain/settings/change-settings.js'
import { settingsOf, type StoredSettings } from '../../../domain/settings/settings.js'

describe('settings', () => {
  it('are the defaults overridden by what is stored', () => {
    expect(settingsOf({})).to.deep.equal(DEFAULT_SETTINGS)
    const own = settingsOf({
      memory: { single_valued_predicates: [] },
      skills_factory: { forge: { min_cluster_size: 9 } },
    })
    expect(own.memory).to.deep.equal({ ...DEFAULT_SETTINGS.memory, single_valued_predicates: [] })
    expect(own.skills_factory.forge).to.deep.equal({ ...DEFAULT_SETTINGS.skills_factory.forge, min_cluster_size: 9 })
  })

  it('ignore what another version stored, and keep it on a change', () => {
    const stored = { memory: { pii_policy: 'mask', newer: 1 }, other: { a: 1 }, enrichment: 3 } as StoredSettings
    expect(settingsOf(stored)).to.deep.equal({
      ...DEFAULT_SETTINGS,
      memory: { ...DEFAULT_SETTINGS.memory, pii_policy: 'mask' },
    })
    expect(changedSettings(stored, { memory: { pii_policy: 'flag' }, summary: { enabled: false } })).to.deep.equal({
      memory: { newer: 1 },
      other: { a: 1 },
      enrichment: 3,
      summary: { enabled: false },
    })
  })

  const changes: [what: string, stored: StoredSettings, change: SettingsChange, expected: StoredSettings][] = [
    ['what differs', {}, { memory: { pii_policy: 'mask' } }, { memory: { pii_policy: 'mask' } }],
    ['nothing that equals the default', {}, { memory: { pii_policy: 'flag' }, summary: { enabled: true } }, {}],
    [
      'no list that equals the default',
      { memory: { single_valued_predicates: [] } },
      { memory: { single_valued_predicates: [...DEFAULT_SETTINGS.memory.single_valued_predicates] } },
      {},
    ],
    [
      'lists as a whole',
      { memory: { single_valued_predicates: ['a', 'b'] } },
      { memory: { single_valued_predicates: ['b'] } },
      { memory: { single_valued_predicates: ['b'] } },
    ],
    [
      'in addition to what is stored',
      { summary: { enabled: false } },
      { enrichment: { enabled: false } },
      { summary: { enabled: false }, enrichment: { enabled: false } },
    ],
    ['nothing for null', { memory: { pii_policy: 'mask' } }, { memory: { pii_policy: null } }, {}],
    [
      'nothing for a group that is null',
      { skills_factory: { enabled: true, forge: { min_cluster_size: 9 } } },
      { skills_factory: null },
      {},
    ],
    [
      'the rest of a group',
      { skills_factory: { enabled: true, forge: { min_cluster_size: 9 } } },
      { skills_factory: { forge: null } },
      { skills_factory: { enabled: true } },
    ],
    ['nothing for an empty group', {}, { memory: {} }, {}],
  ]
  for (const [what, stored, change, expected] of changes)
    it(`store ${what}`, () => expect(changedSettings(stored, change)).to.deep.equal(expected))

  it('differ by the paths of the changed values', () => {
    const after = settingsOf({
      memory: { single_valued_predicates: ['a'] },
      skills_factory: { sentinel: { auto_promote_clean: true } },
    })
    expect(differencesOf(DEFAULT_SETTINGS, DEFAULT_SETTINGS)).to.deep.equal([])
    expect(differencesOf(DEFAULT_SETTINGS, after)).to.deep.equal([
      {
        key: 'memory.single_valued_predicates',
        from: DEFAULT_SETTINGS.memory.single_valued_predicates,
        to: ['a'],
      },
      { key: 'skills_factory.sentinel.auto_promote_clean', from: false, to: true },
    ])
  })

  it('are the same whether changes of different settings are applied one by one or together', () => {
    const change = fc.record({
      policy: fc.constantFrom('flag', 'mask', 'refuse', null),
      predicates: fc.option(fc.array(fc.string(), { maxLength: 3 })),
      pending: fc.option(fc.integer({ min: 1, max: 60 })),
      size: fc.option(fc.integer({ min: 1, max: 4 })),
    })
    fc.assert(
      fc.property(change, change, (before, { policy, predicates, pending, size }) => {
        const stored = changedSettings({}, {
          memory: { pii_policy: before.policy, single_valued_predicates: before.predicates },
          skills_factory: { inbox_max_pending: before.pending, forge: { min_cluster_size: before.size } },
        } as SettingsChange)
        const alone = [
          { memory: { pii_policy: policy } },
          { skills_factory: { forge: { min_cluster_size: size } } },
          { memory: { single_valued_predicates: predicates } },
          { skills_factory: { inbox_max_pending: pending } },
        ] as SettingsChange[]
        const together = {
          memory: { pii_policy: policy, single_valued_predicates: predicates },
          skills_factory: { inbox_max_pending: pending, forge: { min_cluster_size: size } },
        } as SettingsChange
        const whole = changedSettings(stored, together)
        expect(alone.reduce(changedSettings, stored)).to.deep.equal(whole)
        const { memory, skills_factory } = settingsOf(whole)
        const usual = DEFAULT_SETTINGS
        expect(memory.pii_policy).to.equal(policy ?? usual.memory.pii_policy)
        expect(memory.single_valued_predicates).to.deep.equal(predicates ?? usual.memory.single_valued_predicates)
        expect(skills_factory.inbox_max_pending).to.equal(pending ?? usual.skills_factory.inbox_max_pending)
        expect(skills_factory.forge.min_cluster_size).to.equal(size ?? usual.skills_factory.forge.min_cluster_size)
      }),
    )
  })
})
