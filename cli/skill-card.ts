import type { components } from '../contract/types.js'
import { counted } from '../runtime/counted.js'
import { printable } from './printable.js'
import { describeFinding } from './refusals.js'

type Schemas = components['schemas']
type Card = Schemas['SkillCard']

/** Returns lines about a version: what it is called, what it is for, who it is from. */
export function describeHead(
  card: Pick<Card, 'doc_id' | 'version' | 'status' | 'name' | 'description' | 'summary' | 'domain' | 'tags' | 'source'>,
) {
  const { doc_id, version, status, name, description, summary, domain, tags, source } = card
  const reason = 'reason' in card && typeof card.reason === 'string' ? ` (${card.reason})` : ''
  return [
    `${doc_id}, version ${version}, ${status}${reason}`,
    name,
    description,
    ...(summary === null ? [] : [summary]),
    `${domain}${tags.length > 0 ? `: ${tags.join(', ')}` : ''}; source ${source}`,
  ].map(printable)
}

/** Returns a line about a reason for the place of a skill in the inbox, with the hours that it is worth. */
export function describeReason({ hours, message }: Schemas['SkillPriorityReason']): string {
  return `${hours > 0 ? '+' : ''}${hours} h: ${message}`
}

/** Returns lines about the files of a version; none where it has none. */
export function describeFiles(files: readonly Schemas['SkillFile'][]): string[] {
  if (files.length === 0) return []
  return [`${counted(files.length, 'file')} beside SKILL.md:`, ...files.map((file) => `  ${describeFile(file)}`)].map(
    printable,
  )
}

export function describeFile({ path, size, executable }: Schemas['SkillFile']): string {
  return `${path}, ${counted(size, 'byte')}${executable ? ', executable' : ''}`
}

/** Returns a text apart from the lines around it, which it could imitate. */
export function indented(content: string): string {
  return printable(content)
    .trimEnd()
    .replace(/^(?=.)/gm, '  ')
}

export function describeScan({ scan }: Pick<Card, 'scan'>): string {
  const counts = (['critical', 'warn'] as const).flatMap((severity) =>
    scan[severity] ? [`${scan[severity]} ${severity}`] : [],
  )
  return [scan.state, ...counts].join('\n')
}

/** Returns lines about the scan: its state, why it failed, who overruled it, and what it found. */
export function describeVerdict({ scan, overruled }: Pick<Card, 'scan' | 'overruled'>): string[] {
  const lines = [`scan: ${describeScan({ scan }).replaceAll('\n', ', ')}`, ...scan.findings.map(describeFinding)]
  if (scan.failure !== null) lines.push(`  ${scan.failure.message}`)
  if (overruled !== null)
    lines.push(
      `overruled by ${overruled.by.agent_id ?? overruled.by.kind} at ${overruled.at.slice(0, 16).replace('T', ' ')}, for these words and version ${overruled.rules} of the rules: ${overruled.reason}`,
    )
  return lines.map(printable)
}

export function describeGates({ gates }: Pick<Card, 'gates'>): string {
  if (gates.length === 0) return '-'
  const held = gates.filter(({ passed }) => !passed).map(({ name }) => name)
  return held.length === 0 ? 'passed' : held.join('\n')
}

export function describeMove({ from, to, reason, actor, at }: Schemas['SkillMove']): string {
  const who = actor.agent_id ?? actor.kind
  return `${at.slice(0, 16).replace('T', ' ')} ${from === null ? '' : `${from} → `}${to} by ${who}${reason === null ? '' : `: ${reason}`}`
}

/** Returns the figures among what the Forge says of the evidence; `--json` prints all of it. */
export function figuresOf(evidence: Readonly<Record<string, unknown>>): string {
  return Object.entries(evidence)
    .flatMap(([name, value]) => (typeof value === 'number' ? [`${name.replaceAll('_', ' ')} ${value}`] : []))
    .join(', ')
}
