import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { parse } from 'yaml'
import type { ScanReport } from '../../domain/scan/report.js'
import { scanSkill } from '../../domain/scan/scan-skill.js'
import type { ScannableSkill } from '../../domain/scan/skill.js'

/** A skill that somebody published, and its verdict. */
export interface JudgedSkill {
  /** The folder that it stands in: who published it, or the family of the attack. */
  readonly group: string
  readonly id: string
  readonly bytes: number
  readonly report: ScanReport
  /** Milliseconds of CPU. */
  readonly cpu: number
}

/**
 * Scans every skill below a folder. Each folder in it is a group: a file of Markdown is one skill, a folder with a `SKILL.md` is a skill with
 * the files beside it.
 */
export function judgeFolder(root: string): JudgedSkill[] {
  return foldersIn(root).flatMap((group) =>
    readdirSync(join(root, group), { withFileTypes: true })
      .sort((a, b) => a.name.localeCompare(b.name))
      .flatMap((entry) => {
        const texts = textsIn(join(root, group), entry)
        return texts === null ? [] : [judge(group, `${group}/${entry.name}`, texts)]
      }),
  )
}

function foldersIn(root: string): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

interface SkillTexts {
  readonly main: string
  readonly beside: readonly { readonly path: string; readonly content: string }[]
}

function textsIn(folder: string, entry: Dirent): SkillTexts | null {
  const path = join(folder, entry.name)
  if (entry.isFile()) return entry.name.endsWith('.md') ? { main: readFileSync(path, 'utf8'), beside: [] } : null
  const files = readdirSync(path, { withFileTypes: true, recursive: true }).filter((file) => file.isFile())
  const read = files.map((file) => {
    const whole = join(file.parentPath, file.name)
    return { path: relative(path, whole), content: readFileSync(whole, 'utf8') }
  })
  const main = read.find((file) => file.path === 'SKILL.md')
  return main ? { main: main.content, beside: read.filter((file) => file !== main) } : null
}

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/

function judge(group: string, id: string, { main, beside }: SkillTexts): JudgedSkill {
  const text = main.trimStart()
  const found = FRONT_MATTER.exec(text)
  const skill = skillOf(id, found?.[1] ?? null, found ? text.slice(found[0].length) : main)
  const from = process.cpuUsage()
  const report = scanSkill({ ...skill, support_files: beside })
  const { user, system } = process.cpuUsage(from)
  return { group, id, bytes: Buffer.byteLength(main), report, cpu: (user + system) / 1_000 }
}

function skillOf(id: string, front: string | null, content: string): ScannableSkill {
  const values = valuesOf(front ?? '')
  const name = String(values.name ?? basename(id, '.md'))
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return {
    name,
    slug: slug.slice(0, 90) || 'skill',
    description: typeof values.description === 'string' ? values.description : '',
    content,
    front_matter: front,
  }
}

/** Returns the members of a front matter; none where it is no YAML. */
function valuesOf(front: string): Record<string, unknown> {
  try {
    const values: unknown = parse(front)
    return values !== null && typeof values === 'object' ? (values as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
