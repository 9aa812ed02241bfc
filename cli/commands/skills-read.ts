import Table from 'cli-table3'
import { ForbiddenError, NotFoundError } from '../../client/index.js'
import type { components } from '../../contract/types.js'
import { counted } from '../../runtime/counted.js'
import { coloredDiff } from '../diff.js'
import { printable, printJson } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import {
  describeFiles,
  describeGates,
  describeHead,
  describeMove,
  describeReason,
  describeScan,
  describeVerdict,
  figuresOf,
  indented,
} from '../skill-card.js'
import { createSkillCatalogue } from '../skills/catalogue.js'
import { tenantOf } from './tenant.js'

type Schemas = components['schemas']
type Card = Schemas['SkillCard']
type InboxSkill = Schemas['InboxSkill']

/** Options of every command that names a tenant's skills. */
export interface SkillOptions {
  readonly tenant?: string
  /** The acting agent, for a tenant key. */
  readonly as?: string
  readonly json?: boolean
}

/** Lists the active skills. */
export async function listSkills(service: ServiceClient, options: SkillOptions & { fleet?: string }): Promise<void> {
  const catalogue = createSkillCatalogue(service, {
    tenantId: await tenantOf(service, options),
    fleetId: options.fleet,
  })
  const { items } = await catalogue.list(new Map())
  if (options.json) return printJson(items)
  printTable(
    ['doc_id', 'version', 'source', 'name'],
    [40, 9, 10],
    items.map(({ doc_id, version, source, name, description }) => [doc_id, version, source, `${name}\n${description}`]),
  )
  console.log(counted(items.length, 'active skill'))
}

export interface InboxOptions extends SkillOptions {
  readonly status: 'staged' | 'quarantined' | 'candidate'
  readonly fleet?: string
}

/** Lists the skills that wait for a review, in the order in which they are to be looked at. */
export async function listInbox(service: ServiceClient, options: InboxOptions): Promise<void> {
  const pages = service.listInbox(
    { tenant_id: await tenantOf(service, options), status: options.status, fleet_id: options.fleet, limit: 200 },
    { agentId: options.as },
  )
  const items = await allOf(pages)
  if (options.json) return printJson(items)
  printTable(
    ['doc_id', 'since', 'scan', 'gates', 'skill, and why it stands here'],
    [36, 12, 14, 14],
    items.map((card) => [
      `${card.doc_id}\nversion ${card.version}${card.kind === 'update' ? ', update' : ''}`,
      `${card.updated_at.slice(0, 10)}${card.deferred_at === null ? '' : '\ndeferred'}`,
      describeScan(card),
      describeGates(card),
      [
        ...[card.name, card.description, ...(card.reason === null ? [] : [`(${card.reason})`])],
        ...card.priority.reasons.map(describeReason),
      ].join('\n'),
    ]),
  )
  console.log(`${items.length} of ${(await pages).total} ${options.status}`)
}

/** Shows the version of a skill that waits, with what it changes; or the active one when none waits. */
export async function showSkill(service: ServiceClient, slug: string, options: SkillOptions): Promise<void> {
  const tenant_id = await tenantOf(service, options)
  const call = { agentId: options.as }
  const waiting = await service.getInboxSkill({ tenant_id, slug }, call).catch((error: unknown) => {
    // A key that may not review still sees what is active.
    if (error instanceof NotFoundError || error instanceof ForbiddenError) return null
    throw error
  })
  if (waiting !== null) return options.json ? printJson(waiting) : console.log(describeWaiting(waiting, options))
  const document = await service.getDocument({ tenant_id, collection: 'skills', doc_id: slug }, call)
  if (options.json) return printJson(document)
  const data = document.data as unknown as Card & { readonly content: string }
  const card = { ...data, doc_id: document.doc_id, version: document.version, updated_at: document.updated_at }
  console.log([...describeHead(card), ...describeFiles(card.files), '', indented(card.content)].join('\n'))
}

/** Shows what the scan found in a skill of the caller's, or in the active one. */
export async function showScan(service: ServiceClient, slug: string, options: SkillOptions): Promise<void> {
  const tenant_id = await tenantOf(service, options)
  const verdict = await service.getSkillScan({ tenant_id, slug }, { agentId: options.as })
  if (options.json) return printJson(verdict)
  const { doc_id, version, status, reason } = verdict
  const why = reason === null ? '' : ` (${reason})`
  console.log([printable(`${doc_id}, version ${version}, ${status}${why}`), ...describeVerdict(verdict)].join('\n'))
}

/** Lists the versions of a skill, newest first. */
export async function listVersions(service: ServiceClient, slug: string, options: SkillOptions): Promise<void> {
  const tenant_id = await tenantOf(service, options)
  const items = await allOf(service.listSkillVersions({ tenant_id, slug, limit: 200 }, { agentId: options.as }))
  if (options.json) return printJson(items)
  printTable(
    ['version', 'status', 'written', 'scan', 'moves, newest first'],
    [9, 13, 12, 14],
    items.map((item) => [
      item.version,
      item.status,
      item.created_at.slice(0, 10),
      describeScan(item),
      item.history.map(describeMove).join('\n'),
    ]),
  )
  console.log(counted(items.length, 'version'))
}

function describeWaiting(skill: InboxSkill, { tenant, as }: SkillOptions): string {
  const { content, diff, active, gates, cites, evidence, files, history, content_hash } = skill
  const changes =
    diff === null || active === null
      ? ['', indented(content)]
      : [
          '',
          `Changes from version ${active.version}, which is active:`,
          '',
          diff === '' ? 'none' : coloredDiff(diff.trimEnd()),
        ]
  return [
    ...describeHead(skill),
    printable(
      `by ${skill.author_agent_id ?? 'the service'}, ${skill.fleet_id === null ? 'for all fleets' : `fleet ${skill.fleet_id}`}`,
    ),
    ...(cites.length > 0 ? [`cites ${counted(cites.length, 'memory', 'memories')}`] : []),
    ...(evidence === null ? [] : [`evidence: ${figuresOf(evidence)}`]),
    ...describeVerdict(skill),
    ...gates.map(({ name, passed, reason }) => printable(`gate ${name}: ${passed ? 'passed' : 'held'}, ${reason}`)),
    ...describeFiles(files),
    ...changes,
    '',
    'History, newest first:',
    ...history.map((move) => printable(`  version ${move.version}: ${describeMove(move)}`)),
    ...(skill.status === 'staged'
      ? [
          '',
          [
            `Approve what is shown here: cairn skills approve ${printable(skill.doc_id)} --seen ${skill.version} --hash ${content_hash}`,
            ...(tenant === undefined ? [] : [`--tenant ${tenant}`]),
            ...(as === undefined ? [] : [`--as ${as}`]),
          ].join(' '),
        ]
      : []),
  ].join('\n')
}

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** Prints rows under their heads; the last column takes the rest of the terminal's width. */
function printTable(
  head: readonly string[],
  widths: readonly number[],
  rows: readonly (readonly (string | number)[])[],
): void {
  const borders = head.length + 1
  const last = Math.max(30, (process.stdout.columns || 120) - widths.reduce((a, b) => a + b, 0) - borders)
  const table = new Table({
    head: [...head],
    colWidths: [...widths, last],
    wordWrap: true,
    style: { head: [], border: [] },
  })
  for (const [first, ...others] of rows)
    // A name is never cut off, since it is typed again.
    table.push([
      { content: printable(String(first)), wrapOnWordBoundary: false },
      ...others.map((cell) => printable(String(cell))),
    ])
  if (rows.length > 0) console.log(table.toString())
}
