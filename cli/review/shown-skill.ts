import type { components } from '../../contract/types.js'
import { LARGEST_SHOWN_FILE, MOST_SHOWN_FILES } from '../../domain/skills/diff.js'
import { coloredDiff } from '../diff.js'
import { describeFile, describeReason, describeVerdict, figuresOf } from '../skill-card.js'
import { indentedLines, labelledLines } from './lines.js'
import type { ShownFile, Unshown } from './shown-files.js'

type Schemas = components['schemas']
type InboxSkill = Schemas['InboxSkill']

interface Shown {
  /** Files whose texts are shown: those of a new skill. A diff has those of others. */
  readonly files: readonly ShownFile[]
  readonly width: number
}

/** Returns what a reviewer reads of a skill before the decision: why it is first, what is known of it, and what it changes. */
export function describeSkill(skill: InboxSkill, shown: Shown): string {
  return [...describeCard(skill, shown), '', ...describeChanges(skill, shown)].join('\n')
}

/** Returns the card, the changes, and the whole text below them. */
export function describeWhole(skill: InboxSkill, shown: Shown): string {
  const { active, content, front_matter } = skill
  const text =
    active === null ? [] : ['', 'The whole text:', '', ...indentedLines(`${front_matter ?? ''}${content}`, shown.width)]
  return [describeSkill(skill, shown), ...text].join('\n')
}

function describeCard(skill: InboxSkill, { width }: Shown): string[] {
  const { doc_id, version, status, reason, name, description, summary, goal, domain, tags, scan } = skill
  const line = (label: string, text: string | null) => (text === null ? [] : labelledLines(label, text, width))
  return [
    ...line('skill', `${doc_id}, version ${version}, ${status}${reason === null ? '' : ` (${reason})`}`),
    ...line('why', skill.priority.reasons.map(describeReason).join('\n')),
    ...line('name', name),
    ...line('description', description),
    ...line('summary', summary),
    ...line('goal', goal),
    ...line('domain', [domain, ...tags].join(', ')),
    ...line('from', describeAuthor(skill)),
    ...line('evidence', describeEvidence(skill)),
    ...line(
      'scan',
      describeVerdict(skill)
        .join('\n')
        .replace(/^scan: /, ''),
    ),
    ...(scan.state === 'flagged' ? line('', 'An approval clears what is flagged.') : []),
    ...line('gates', describeGates(skill)),
    ...line('files', skill.files.length === 0 ? null : skill.files.map(describeFile).join('\n')),
    ...line('also in', skill.also_active.length === 0 ? null : skill.also_active.join('\n')),
  ]
}

function describeAuthor({ source, author_agent_id, fleet_id, author_record }: InboxSkill): string {
  const { approved, rejected, quarantined } = author_record
  const author = source === 'forge' ? 'the Forge' : (author_agent_id ?? 'a key without an agent')
  const fleet = fleet_id === null ? 'for all fleets' : `fleet ${fleet_id}`
  return `${author}, source ${source}, ${fleet}\nso far ${approved} approved, ${rejected} rejected, ${quarantined} quarantined`
}

function describeEvidence({ evidence, cites }: InboxSkill): string | null {
  if (evidence === null && cites.length === 0) return null
  const steps = Array.isArray(evidence?.steps) ? `\n${evidence.steps.length} steps in the words of the memories` : ''
  return `${evidence === null ? '' : `${figuresOf(evidence)}\n`}${cites.length} memories cited${steps}`
}

function describeGates({ gates }: InboxSkill): string | null {
  if (gates.length === 0) return null
  const held = gates.filter(({ passed }) => !passed).map(({ name, reason }) => `${name} held: ${reason}`)
  return held.length === 0 ? 'all passed' : held.join('\n')
}

function describeChanges({ diff, active, content, front_matter }: InboxSkill, { files, width }: Shown): string[] {
  if (diff !== null && active !== null) {
    const lines = diff === '' ? ['  none'] : foldedDiff(diff, width)
    return [`Changes from version ${active.version}, which is served:`, '', ...lines]
  }
  return [
    'A new skill. Its text:',
    '',
    ...indentedLines(`${front_matter ?? ''}${content}`, width),
    ...files.flatMap((shown) => ['', ...describeShownFile(shown, width)]),
  ]
}

/** Returns a diff with its lines folded. Each part of a line has the colour of the line. */
function foldedDiff(diff: string, width: number): string[] {
  return diff
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const [first, ...others] = indentedLines(line, width - 3, '')
      const sign = /^[-+@ ]/.exec(line)?.[0] ?? ''
      return [first!, ...others.map((part) => `${sign}${part}`)].map((part) => `  ${coloredDiff(part)}`)
    })
}

const UNSHOWN: Readonly<Record<Unshown, string>> = {
  binary: 'It is binary',
  large: `It is larger than ${LARGEST_SHOWN_FILE} bytes`,
  beyond: `It comes after the first ${MOST_SHOWN_FILES} files`,
}

function describeShownFile({ file, text }: ShownFile, width: number): string[] {
  const about = labelledLines('file', describeFile(file), width)
  if (typeof text !== 'string') return [...about, `  ${UNSHOWN[text.unshown]}, and is not shown: ${file.hash}`]
  return [...about, '', ...indentedLines(text, width)]
}
