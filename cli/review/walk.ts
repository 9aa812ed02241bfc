import type { components } from '../../contract/types.js'
import { NotFoundError } from '../../client/index.js'
import { printable } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import { decide, DECISIONS, type Decision, describeGone } from './decisions.js'
import type { Keyboard, Terminal } from './keyboard.js'
import { describeSkill, describeWhole } from './shown-skill.js'
import { readShownFiles, type ShownFile } from './shown-files.js'

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

/** A skill on the screen. */
interface OnScreen {
  readonly skill: InboxSkill
  readonly files: readonly ShownFile[]
}

/** A key that counts while a skill is on the screen. */
interface WalkKey {
  readonly key: string
  readonly name: string
  readonly help: string
  /** Does what the key is for. `again` shows the skill once more, `ask` asks for another key. */
  readonly press: () => Step | 'again' | 'ask' | Promise<Step | 'again' | 'ask'>
}

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
    for (let at = 0; at < this.#trail.length || (await this.#list());) {
      const step = await this.#show(this.#trail[at]!)
      if (step === 'closed' || step === 'interrupted') return step
      if (step === 'next') at++
      else if (at > 0) at--
      else this.#say('This is the first.')
    }
    return 'done'
  }

  /** Adds what the service lists and was not listed yet. Returns whether there is any. */
  async #list(): Promise<boolean> {
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
        this.#say(describeGone(docId))
        return 'next'
      }
      this.#listed.add(`${docId} ${skill.version}`)
      const files = await readShownFiles(this.service, skill, this.options)
      const width = this.desk.terminal.output.columns || 80
      this.desk.terminal.output.write(`${'─'.repeat(width - 1)}\n${describeSkill(skill, { files, width })}\n\n`)
      const step = await this.#ask({ skill, files })
      if (step !== 'again') return step
    }
  }

  /** Asks for keys until one leaves the skill. */
  async #ask(shown: OnScreen): Promise<Step | 'again'> {
    const { keyboard, terminal } = this.desk
    const keys = this.#keysFor(shown)
    for (;;) {
      terminal.output.write(`${keys.map(({ key, name }) => `${key} ${name}`).join(', ')}: `)
      const press = await keyboard.press()
      this.#say('key' in press ? printable(press.key) : '')
      if ('end' in press) return press.end
      const step = await keys.find(({ key }) => key === press.key)?.press()
      if (step !== undefined && step !== 'ask') return step
    }
  }

  #keysFor(shown: OnScreen): readonly WalkKey[] {
    const offered = DECISIONS.filter(({ from }) => from.includes(shown.skill.status))
    const keys: readonly WalkKey[] = [
      ...offered.map((decision) => ({ ...decision, press: () => this.#decide(decision, shown.skill) })),
      { key: 's', name: 'skip', help: 'leave it as it is, and go to the next', press: () => this.#skip() },
      { key: 'b', name: 'back', help: 'show the one before again', press: () => 'back' },
      { key: 'p', name: 'pager', help: 'read all of it in $PAGER', press: () => this.#page(shown) },
      { key: '?', name: 'help', help: 'explain the keys', press: () => this.#help(keys) },
      { key: 'q', name: 'quit', help: 'end the walk', press: () => 'closed' },
    ]
    return keys
  }

  async #decide(decision: Decision, skill: InboxSkill): Promise<'next' | 'again' | 'ask'> {
    const reason = decision.needsReason
      ? await this.desk.keyboard.line(`Why ${decision.name}? (an empty line takes it back) `)
      : undefined
    if (reason === null) return 'ask'
    const { tenant_id, agentId } = this.options
    const { then, isDecided, says } = await decide(this.service, decision, skill, {
      tenant_id,
      ...(reason !== undefined && { reason }),
      ...(agentId !== undefined && { agentId }),
    })
    this.#say(says)
    if (isDecided) this.#count(decision.done)
    return then
  }

  #skip(): 'next' {
    this.#count('skipped')
    return 'next'
  }

  async #page({ skill, files }: OnScreen): Promise<'ask'> {
    const text = describeWhole(skill, { files, width: this.desk.terminal.output.columns || 80 })
    await this.desk.keyboard
      .lend(() => this.desk.page(text))
      .catch((error: Error) => this.#say(`The pager does not work: ${error.message}. Set PAGER.`))
    return 'ask'
  }

  #help(keys: readonly WalkKey[]): 'ask' {
    this.#say(keys.map(({ key, name, help }) => `  ${key}  ${name}: ${help}`).join('\n'))
    return 'ask'
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
