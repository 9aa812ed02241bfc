import type { components } from '../../contract/types.js'
import { NotFoundError } from '../../client/index.js'
import { printable } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import { decide, DECISIONS } from './decisions.js'
import type { Keyboard, Terminal } from './keyboard.js'
import { describeSkill, describeWhole, type ShownFile } from './shown-skill.js'
import { readShownFiles } from './shown-files.js'

type InboxSkill = components['schemas']['InboxSkill']

/** The inbox of a tenant, as it is walked through. */
export interface WalkOptions {
  readonly tenant_id: string
  readonly status: 'staged' | 'quarantined'
  readonly fleet_id?: string | undefined
  readonly agentId?: string | undefined
}

/** A person's place: a terminal, and what belongs to it. */
export interface Desk {
  readonly terminal: Terminal
  readonly keyboard: Keyboard
  /** Shows a text in a program of its own. */
  readonly page: (text: string) => Promise<void>
}

type Step = 'next' | 'back' | 'closed' | 'interrupted'

/** A person's walk through the inbox: one skill after the other, in the order in which the service lists them. */
export class InboxWalk {
  /** Skills in the order in which they are shown, and those versions that were listed. */
  readonly #trail: string[] = []
  readonly #listed = new Set<string>()
  readonly #counts = new Map<string, number>()

  constructor(
    private readonly service: ServiceClient,
    private readonly options: WalkOptions,
    private readonly desk: Desk,
  ) {}

  /** Shows what waits until nothing is left or the person ends it. Resolves to how it ended. */
  async run(): Promise<'done' | 'closed' | 'interrupted'> {
    for (let at = 0; at < this.#trail.length || (await this.list());) {
      const step = await this.#show(this.#trail[at]!)
      if (step === 'closed' || step === 'interrupted') return step
      if (step === 'next') at++
      else if (at > 0) at--
      else this.#say('This is the first.')
    }
    return 'done'
  }

  /** Adds what the service lists and was not listed yet. Returns whether there is any. */
  async list(): Promise<boolean> {
    const { tenant_id, status, fleet_id, agentId } = this.options
    const before = this.#trail.length
    for await (const { doc_id, version } of this.service.listInbox(
      { tenant_id, status, fleet_id, limit: 200 },
      { agentId },
    )) {
      if (this.#listed.has(`${doc_id} ${version}`)) continue
      this.#listed.add(`${doc_id} ${version}`)
      this.#trail.push(doc_id)
    }
    return this.#trail.length > before
  }

  /** Returns what was done, such as `2 approved, 1 skipped`. */
  summary(): string {
    return [...this.#counts].map(([done, count]) => `${count} ${done}`).join(', ') || 'nothing decided'
  }

  /** Shows a skill until something is decided about it. */
  async #show(docId: string): Promise<Step> {
    for (;;) {
      const skill = await this.#read(docId)
      if (skill === null) {
        this.#say(`${docId} does not wait any more.`)
        return 'next'
      }
      this.#listed.add(`${docId} ${skill.version}`)
      const files = await readShownFiles(this.service, skill, this.options)
      const width = this.desk.terminal.output.columns || 80
      this.desk.terminal.output.write(`${'─'.repeat(width - 1)}\n${describeSkill(skill, { files, width })}\n\n`)
      const step = await this.#ask(skill, files)
      if (step !== 'again') return step
    }
  }

  /** Asks for keys until one decides. */
  async #ask(skill: InboxSkill, files: readonly ShownFile[]): Promise<Step | 'again'> {
    const { keyboard, terminal } = this.desk
    const offered = DECISIONS.filter(({ from }) => from.includes(skill.status))
    const keys = [
      ...offered.map(({ key, name }) => `${key} ${name}`),
      's skip',
      'b back',
      'p pager',
      '? help',
      'q quit',
    ]
    for (;;) {
      terminal.output.write(`${keys.join(', ')}: `)
      const press = await keyboard.press()
      this.#say('key' in press ? printable(press.key) : '')
      if ('end' in press) return press.end
      const decision = offered.find(({ key }) => key === press.key)
      if (decision) {
        const reason = decision.needsReason
          ? await keyboard.line(`Why ${decision.name}? (an empty line takes it back) `)
          : undefined
        if (reason === null) continue
        const { tenant_id, agentId } = this.options
        const outcome = await decide(this.service, decision, skill, {
          tenant_id,
          ...(reason !== undefined && { reason }),
          ...(agentId !== undefined && { agentId }),
        })
        this.#say(outcome.says)
        if (outcome.isDecided) this.#count(decision.done)
        return outcome.kind === 'again' ? 'again' : 'next'
      }
      if (press.key === 's') {
        this.#count('skipped')
        return 'next'
      }
      if (press.key === 'b') return 'back'
      if (press.key === 'q') return 'closed'
      if (press.key === 'p') await this.#page(skill, files)
      else if (press.key === '?') this.#help(offered)
    }
  }

  async #page(skill: InboxSkill, files: readonly ShownFile[]): Promise<void> {
    const text = describeWhole(skill, { files, width: this.desk.terminal.output.columns || 80 })
    await this.desk.keyboard
      .lend(() => this.desk.page(text))
      .catch((error: Error) => this.#say(`The pager does not work: ${error.message}. Set PAGER.`))
  }

  #help(offered: typeof DECISIONS): void {
    const others = [
      ['s', 'skip: leave it as it is, and go to the next'],
      ['b', 'back: show the one before again'],
      ['p', 'pager: read all of it in $PAGER'],
      ['q', 'quit'],
    ]
    const lines = [...offered.map(({ key, name, help }) => [key, `${name}: ${help}`]), ...others]
    this.#say(lines.map((line) => `  ${line.join('  ')}`).join('\n'))
  }

  async #read(slug: string): Promise<InboxSkill | null> {
    const { tenant_id, agentId } = this.options
    return this.service.getInboxSkill({ tenant_id, slug }, { agentId }).catch((error: unknown) => {
      if (error instanceof NotFoundError) return null
      throw error
    })
  }

  #count(done: string): void {
    this.#counts.set(done, (this.#counts.get(done) ?? 0) + 1)
  }

  #say(text: string): void {
    this.desk.terminal.output.write(`${text}\n`)
  }
}
