import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import type { ScanReport } from '../../domain/scan/report.js'
import { scanSkill } from '../../domain/scan/scan-skill.js'
import type { ScannableSkill } from '../../domain/scan/skill.js'
import { folderNameOf } from '../../domain/skills/folder-name.js'
import { readFrontMatter, splitSkillFile } from '../../domain/skills/front-matter.js'
import type { SkillFileText } from '../../domain/skills/scannable.js'
import { isMedia, runnableText } from '../../domain/skills/skill-files.js'

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
        const read = bytesIn(join(root, group), entry)
        return read === null ? [] : [judge(group, `${group}/${entry.name}`, read)]
      }),
  )
}

function foldersIn(root: string): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

interface SkillBytes {
  readonly main: Buffer
  readonly beside: readonly SkillFileText[]
}

function bytesIn(folder: string, entry: Dirent): SkillBytes | null {
  const path = join(folder, entry.name)
  if (entry.isFile()) return entry.name.endsWith('.md') ? { main: readFileSync(path), beside: [] } : null
  const files = readdirSync(path, { withFileTypes: true, recursive: true }).filter((file) => file.isFile())
  const read = files.map((file) => {
    const whole = join(file.parentPath, file.name)
    const isExecutable = (statSync(whole).mode & 0o100) !== 0
    return { path: relative(path, whole), bytes: readFileSync(whole), isExecutable }
  })
  const main = read.find((file) => file.path === 'SKILL.md')
  if (!main) return null
  const beside = read.filter((file) => file !== main)
  return {
    main: main.bytes,
    beside: beside.map((file) => ({ path: file.path, content: runnableText(file.bytes), isMedia: isMedia(file) })),
  }
}

function judge(group: string, id: string, { main, beside }: SkillBytes): JudgedSkill {
  const skill = skillOf(id, main.toString('utf8'))
  const from = process.cpuUsage()
  const report = scanSkill({ ...skill, support_files: beside })
  const { user, system } = process.cpuUsage(from)
  return { group, id, bytes: main.length, report, cpu: (user + system) / 1_000 }
}

/** Returns a skill as the service has it; one with a front matter that cannot be read, which it would not take, has the fields of none. */
function skillOf(id: string, text: string): ScannableSkill {
  const { frontMatter, content } = splitSkillFile(text)
  const read = readFrontMatter(frontMatter)
  const fields = typeof read === 'string' ? {} : read
  const name = String(fields.name ?? basename(id, '.md'))
  return {
    name,
    slug: folderNameOf(name) || 'skill',
    description: typeof fields.description === 'string' ? fields.description : '',
    content,
    front_matter: frontMatter,
    front_matter_fields: fields,
  }
}
