import { expect } from 'chai'
import { alignStatements, assignStatements } from '../../../domain/forge/align.js'
import { withoutCopies } from '../../../domain/forge/copies.js'
import { lessonsOf } from '../../../domain/forge/failures.js'
import { announcedGoal, goalsAmong } from '../../../domain/forge/goal.js'
import { tracesOf } from '../../../domain/forge/traces.js'
import { rarities, readTraces } from '../../../domain/forge/vocabulary.js'
import { findWorkflows } from '../../../domain/forge/workflows.js'
import { KEY_ROTATION, keyRotation, runOf, WINDOW } from './forge-memories.js'

const read = (runs: readonly (readonly [string, readonly string[]])[]) => {
  const vocabulary = readTraces(
    tracesOf(
      runs.flatMap(([agent, texts]) => runOf(agent, `run-${agent}`, texts)),
      WINDOW,
    ),
  )
  return { ...vocabulary, rarity: rarities(vocabulary) }
}
const saying = (texts: readonly string[], word: RegExp) => texts.filter((text) => word.test(text)).length

describe('alignStatements', () => {
  it('groups what says the same step, in the words of each agent', () => {
    const { traces, rarity } = read(KEY_ROTATION.slice(0, 4))
    const groups = alignStatements(traces, rarity).groups.map((group) => group.map(({ statement }) => statement.text))
    for (const step of [/signing key.*47|47.*signing key/i, /JWKS/, /issuer/, /retired/i])
      expect(
        groups.some((texts) => texts.length === 4 && saying(texts, step) === 4),
        String(step),
      ).to.equal(true)
  })

  it('adds statements of further traces to the group that they are like', () => {
    const { traces, rarity } = read(KEY_ROTATION.slice(0, 4))
    const { groups, weights } = alignStatements(traces.slice(0, 3), rarity)
    const steps = groups.filter(({ length }) => length === 3)
    const extended = assignStatements(steps, traces.slice(3), 3, weights)
    expect(extended.map((group) => group.filter(({ trace }) => trace === 3).length)).to.deep.equal(steps.map(() => 1))
  })
})

describe('goals', () => {
  const goalsOf = (firsts: readonly string[], then: readonly string[]) => {
    const { traces, rarity } = read(firsts.map((first, i) => [`agent${i}`, [first, ...then]] as const))
    return goalsAmong(alignStatements(traces, rarity).groups, traces).map((group) => group[0]!.statement.text)
  }
  const then = ['Opened the housing of the pump.', 'Replaced the seal.', 'Closed the housing.']

  it('are what runs begin with, when it announces or commands what others do', () => {
    expect(goalsOf(['Task: repair the pump', 'Need to repair the pump'], then)).to.have.length(1)
    expect(goalsOf(['Repair the pump in hall 3', 'Repair the pump in hall 5'], then)).to.have.length(1)
    expect(goalsOf(['The pump is leaking', 'The pump is leaking again'], then)).to.have.length(1)
  })

  it('are not first steps', () => {
    expect(goalsOf(['Drained the pump first', 'Drained the pump'], then)).to.deep.equal([])
    expect(goalsOf(['drain pump', 'drain the pump'], ['open housing', 'replace seal', 'close housing'])).to.deep.equal(
      [],
    )
  })

  it('lose the words that announce them', () => {
    expect(announcedGoal('Task: Rotate the key.')).to.equal('rotate the key')
    expect(announcedGoal('I need to rotate the key')).to.equal('rotate the key')
    expect(announcedGoal('Rotate the API key')).to.equal('rotate the API key')
  })
})

describe('findWorkflows', () => {
  const { workflows, unfit } = findWorkflows(tracesOf(keyRotation(), WINDOW))
  const [workflow] = workflows

  it('finds the steps that most successful runs take, in their order; no note, no end', () => {
    expect(workflows).to.have.length(1)
    expect(unfit).to.deep.equal([])
    const texts = workflow!.steps.map(({ statements }) => statements.map(({ statement }) => statement.text))
    expect(texts).to.have.length(4)
    for (const [i, word] of [/signing key/i, /JWKS/, /issuer/, /retired/i].entries()) {
      expect(saying(texts[i]!, word), String(word)).to.equal(4)
      expect(texts[i]).to.have.length(4)
    }
  })

  it('keeps failed runs apart', () => {
    expect(workflow!.traces.map(({ trace }) => trace.agentId)).to.deep.equal(['ana', 'ben', 'cleo', 'dan'])
    expect(workflow!.failures.map(({ trace }) => trace.agentId)).to.deep.equal(['eve'])
  })

  it('leaves out a run that ended with something that nobody understood', () => {
    const odd = runOf('fay', 'run-fay', [
      'Created signing key 4716 in the keyring.',
      'Published the key to the JWKS endpoint.',
      'Restarted the token issuer.',
      'Sun over the bay.',
    ])
    const stopped = odd.slice(0, 3).map((memory) => ({
      ...memory,
      id: `${memory.id}x`,
      runId: 'run-gil',
      agentId: 'gil',
      content: `${memory.content} Indeed so.`,
    }))
    const found = findWorkflows(
      tracesOf(
        [
          ...keyRotation(),
          ...odd,
          ...stopped.map((m, i) => ({ ...m, content: odd[i]!.content.replace('4716', '4717') })),
        ],
        WINDOW,
      ),
    )
    expect(found.workflows[0]!.traces.map(({ trace }) => trace.agentId)).to.deep.equal([
      'ana',
      'ben',
      'cleo',
      'dan',
      'gil',
    ])
  })

  it('knows a goal, which is no step', () => {
    const withGoals = KEY_ROTATION.flatMap(([agent, texts]) =>
      runOf(agent, `run-${agent}`, ['Task: rotate the signing key of the tenant', ...texts]),
    )
    const found = findWorkflows(tracesOf(withGoals, WINDOW)).workflows[0]!
    expect(found.goal![0]!.statement.text).to.equal('Task: rotate the signing key of the tenant')
    expect(found.steps).to.have.length(4)
  })

  it('leaves out a run that only repeats others in their words', () => {
    const parrot = [
      'Restarted the token issuer.',
      'Retired the old signing key.',
      'Rain over the harbour again today.',
      'All fine, done.',
    ]
    const found = findWorkflows(withoutCopies(tracesOf([...keyRotation(), ...runOf('zoe', 'run-zoe', parrot)], WINDOW)))
    expect(found.workflows[0]!.traces.map(({ trace }) => trace.agentId)).to.deep.equal(['ana', 'ben', 'cleo', 'dan'])
  })

  it('takes lessons from the end of failed runs alone', () => {
    const texts = [
      'Login page failed to load.',
      'Created signing key 4719 in the keyring.',
      'Published the public key to the JWKS endpoint.',
      'Restarted the token issuer.',
      'Logins broke, rotation failed.',
    ]
    const found = findWorkflows(tracesOf([...keyRotation(), ...runOf('fay', 'run-fay', texts)], WINDOW)).workflows[0]!
    expect(
      lessonsOf(found.failures)
        .flatMap((group) => group.map(({ statement }) => statement.text))
        .sort(),
    ).to.deep.equal(['Logins broke, rotation failed.', 'Token issuer refused the new key, rolled back.'])
  })

  it('counts no failed run that only repeats others in their words', () => {
    const parrot = ['Restarted the token issuer.', 'Retired the old signing key.', 'Storm over the harbour, gave up.']
    const memories = [...keyRotation(), ...runOf('zoe', 'run-zoe', parrot)]
    const found = findWorkflows(withoutCopies(tracesOf(memories, WINDOW))).workflows[0]!
    expect(found.failures.map(({ trace }) => trace.agentId)).to.deep.equal(['eve'])
  })

  it('takes no small talk for a step, however many of the runs have it', () => {
    const talk = 'The canteen was crowded at noon.'
    const talkative = KEY_ROTATION.slice(0, 4).flatMap(([agent, texts]) =>
      runOf(agent, `run-${agent}`, [...texts.slice(0, 2), talk, ...texts.slice(2)]),
    )
    const topics = [
      'invoices',
      'freezers',
      'contracts',
      'tickets',
      'pumps',
      'maps',
      'lenses',
      'payrolls',
      'visas',
      'drones',
      'seeds',
      'violins',
    ]
    const others = topics.flatMap((topic) =>
      runOf(`agent-${topic}`, `run-${topic}`, [`Sorted the ${topic} of the week.`, talk]),
    )
    const stepsIn = (memories: ReturnType<typeof runOf>) =>
      findWorkflows(tracesOf(memories, WINDOW)).workflows.flatMap(({ steps }) =>
        steps.map(({ statements }) => statements[0]!.statement.text),
      )
    expect(stepsIn([...talkative, ...others])).not.to.include(talk)
    expect(stepsIn([...talkative, ...others])).to.have.length(4)
  })

  it('says of a cluster without common steps that it is unfit', () => {
    const runs = ['ana', 'ben', 'cleo'].map(
      (agent) => [agent, [`The ${agent} gateway is owned by the network team.`]] as const,
    )
    const found = findWorkflows(
      tracesOf(
        runs.flatMap(([agent, texts]) => runOf(agent, `r-${agent}`, texts)),
        WINDOW,
      ),
    )
    expect(found.workflows).to.deep.equal([])
    expect(found.unfit.map(({ reason }) => reason)).to.deep.equal(['too few steps in common'])
  })

  /** Returns the texts of the steps that are found in runs, one list for each workflow. */
  function stepsOf(runs: readonly (readonly [string, readonly string[]])[]): string[][][] {
    const memories = runs.flatMap(([agent, texts], i) => runOf(agent, `run-${i}`, texts))
    return findWorkflows(tracesOf(memories, WINDOW)).workflows.map(({ steps }) =>
      steps.map(({ statements }) => statements.map(({ statement }) => statement.text)),
    )
  }
  const RESET = [
    'Confirmed the identity by callback.',
    'Reset the MFA factors in Okta.',
    'Issued a bypass code in Duo.',
    'Helped to enrol in Duo again.',
  ]
  const AGENTS = ['ana', 'ben', 'cleo', 'dan']

  it('joins runs in two languages by the names that they share', () => {
    const german = [
      'Identität per Rückruf bestätigt.',
      'MFA-Faktoren in Okta zurückgesetzt.',
      'Bypass-Code in Duo ausgestellt.',
      'Bei der Anmeldung in Duo geholfen.',
    ]
    const told = (texts: readonly string[], end: string) => [...texts, end]
    const found = stepsOf([
      ['ana', told(RESET, 'All done.')],
      ['ben', told(RESET, 'Works again.')],
      ['cleo', told(german, 'Erledigt.')],
      ['dan', told(german, 'Klappt wieder.')],
    ])
    expect(found).to.have.length(1)
    expect(found[0]!.flat().some((text) => text.includes('zurückgesetzt'))).to.equal(true)
  })

  it('leaves work in two languages apart that shares one name', () => {
    const german = ['Rechnung in Okta geprüft.', 'Gutschrift angelegt.', 'Buchhaltung verständigt.']
    const found = stepsOf([
      ['ana', [...RESET, 'All done.']],
      ['ben', [...RESET, 'Works again.']],
      ['cleo', [...german, 'Erledigt.']],
      ['dan', [...german, 'Klappt wieder.']],
    ])
    for (const steps of found) {
      const texts = steps.flat().join(' ')
      expect(/Rechnung|Gutschrift/.test(texts) && /bypass|callback/.test(texts)).to.equal(false)
    }
  })

  it('takes what runs say in any order for no workflow', () => {
    const told = (order: readonly number[]) => [...order.map((i) => RESET[i]!), 'All done.']
    const orders = [
      [0, 1, 2, 3],
      [3, 1, 0, 2],
      [2, 3, 1, 0],
      [1, 0, 3, 2],
    ]
    expect(stepsOf(AGENTS.map((agent, i) => [agent, told(orders[i]!)]))).to.deep.equal([])
    const swapped = [orders[0]!, orders[0]!, [0, 2, 1, 3], orders[0]!]
    expect(stepsOf(AGENTS.map((agent, i) => [agent, told(swapped[i]!)]))[0]).to.have.length(4)
  })

  it('takes what opens some of the runs for their subject, and what opens all of them for a step', () => {
    const subject = 'User without the phone at the desk'
    const told = (opening: readonly string[]) => [...opening, ...RESET, 'All done.']
    const opened = (count: number) =>
      stepsOf([...AGENTS, 'eli'].map((agent, i) => [agent, told(i < count ? [subject] : [])]))[0]!.flat()
    expect(opened(3)).to.not.include(subject)
    expect(opened(5)).to.include(subject)
  })

  it('cites of each run one memory for a step, the one where the others have it', () => {
    const found = stepsOf(
      AGENTS.map((agent, i) => [agent, [...(i < 3 ? ['Bypass code in Duo for Kim'] : []), ...RESET, 'All done.']]),
    )
    expect(found[0]!.flat()).to.not.include('Bypass code in Duo for Kim')
    expect(found[0]!.find(([text]) => text!.startsWith('Issued'))).to.have.length(4)
  })

  it('knows small talk about somebody else', () => {
    const talk = ['Handed the phone shift to Maria Keller.']
    const told = (shifts: readonly string[]) => [...RESET.slice(0, 2), ...shifts, ...RESET.slice(2), 'All done.']
    const work = AGENTS.map((agent, i): [string, string[]] => [agent, told(i === 1 ? [] : talk)])
    const others = ['Repaired a pump.', 'Drew maps.', 'Sowed carrots.', 'Tuned violins.'].map(
      (text, i): [string, string[]] => [`other-${i}`, [text, 'Handed the phone shift to Aiko Tan.']],
    )
    const handed = (found: string[][][]) => found.flat(2).filter((text) => text.startsWith('Handed'))
    expect(handed(stepsOf(work))).to.not.deep.equal([])
    expect(handed(stepsOf([...work, ...others]))).to.deep.equal([])
  })
})
