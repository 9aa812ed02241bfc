import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parse } from 'yaml'

/** A skill as a harness lists it. */
export interface LoadedSkill {
  readonly name: string
  readonly description: string
}

/** Reads a SKILL.md in a folder of some name as a harness does; throws, or returns null, where the harness leaves the skill out. */
type Loader = (text: string, folder: string) => LoadedSkill | null

/** The rules by which harnesses load a folder of a skill, each as its source had it in 2026. */
export const HARNESS_LOADERS: Readonly<Record<string, Loader>> = {
  codex: loadAsCodex,
  openclaw: loadAsOpenClaw,
  'gemini-cli': loadAsGemini,
  opencode: loadAsOpenCode,
  pi: loadAsPi,
  'claude-code': loadAsClaude,
}

export async function loadedBy(harness: string, folder: string): Promise<LoadedSkill | null> {
  return HARNESS_LOADERS[harness]!(await readFile(join(folder, 'SKILL.md'), 'utf8'), basename(folder))
}

/** openai/codex, codex-rs/core-skills/src/loader.rs: fences are lines; texts are put on one line, and counted in characters. */
function loadAsCodex(text: string): LoadedSkill | null {
  const lines = text.split(/\r?\n/)
  const end = lines.findIndex((line, i) => i > 0 && line.trim() === '---')
  if (lines[0]!.trim() !== '---' || end < 2) return null
  const fields = parsed(lines.slice(1, end).join('\n'))
  const { 'short-description': short } = (fields.metadata ?? {}) as Record<string, unknown>
  if (typeof fields.metadata !== 'object' && fields.metadata !== undefined) throw new Error('metadata is no map')
  if (short !== undefined && typeof short !== 'string') throw new Error('metadata.short-description is no text')
  const [name, description] = [textOf(fields.name), textOf(fields.description)].map((value) =>
    value.split(/\s+/).filter(Boolean).join(' '),
  ) as [string, string]
  return isWithin(name, 64) && isWithin(description, 1_024) ? { name, description } : null
}

/**
 * openclaw/openclaw, src/markdown/frontmatter.ts and src/agents/skills/local-loader.ts: the block ends at the first line that begins with three hyphens; what is
 * no JSON on its line is as YAML has it.
 */
function loadAsOpenClaw(text: string, folder: string): LoadedSkill | null {
  const plain = text.replace(/\r\n?/g, '\n')
  const end = plain.indexOf('\n---', 3)
  if (!plain.startsWith('---') || end === -1) return null
  const block = plain.slice(4, end)
  const fields = new Map<string, string>()
  for (const [key, value] of Object.entries(parsed(block)))
    if (value !== null) fields.set(key, typeof value === 'object' ? JSON.stringify(value) : String(value).trim())
  for (const [, key, given] of block.matchAll(/^([\w-]+):[ \t]*(\S.*)$/gm)) {
    const value = given!.replace(/^(["'])(.*)\1$/, '$2').trim()
    const isJson = /^[[{]/.test(value)
    if (isJson || (fields.get(key!)?.startsWith('{') && value !== '|' && value !== '>')) fields.set(key!, value)
  }
  const [name, description] = [fields.get('name') || folder, fields.get('description')]
  return description ? { name, description } : null
}

/** google-gemini/gemini-cli, packages/core/src/skills/skillLoader.ts: both are texts; a name that no file could have is changed. */
function loadAsGemini(text: string): LoadedSkill | null {
  const block = /^---\r?\n([^]*?)\r?\n---(?:\r?\n|$)/.exec(text)
  if (!block) return null
  const { name, description } = parsed(block[1]!)
  if (typeof name !== 'string' || typeof description !== 'string') return null
  return { name: name.replace(/[:\\/<>*?"|]/g, '-'), description }
}

/** anomalyco/opencode, packages/opencode/src/skill/skill.ts, with the front matter as gray-matter finds it: up to a line that begins with three hyphens. */
function loadAsOpenCode(text: string): LoadedSkill | null {
  const plain = text.replace(/^\uFEFF/, '')
  const end = plain.indexOf('\n---', 3)
  if (!plain.startsWith('---') || plain[3] === '-' || end === -1) return null
  const { name, description } = parsed(plain.slice(3, end))
  return typeof name === 'string' && typeof description === 'string' ? { name, description } : null
}

/** badlogic/pi-mono, packages/coding-agent/src/core/skills.ts: the name is the folder's. */
function loadAsPi(text: string, folder: string): LoadedSkill | null {
  const plain = text.replace(/\r\n?/g, '\n')
  const end = plain.indexOf('\n---', 3)
  if (!plain.startsWith('---') || end === -1) return null
  const { name, description } = parsed(plain.slice(4, end))
  if (name !== folder || !IS_NAME.test(folder)) return null
  return isWithin(textOf(description).trim(), 1_024) ? { name: folder, description: textOf(description) } : null
}

/**
 * The published rules of Claude for skills (platform.claude.com/docs, “Agent Skills”; code.claude.com/docs, “Skills”): a name of lower-case letters, digits and hyphens, texts without
 * tags, and no field that makes a harness run something when it loads the skill.
 */
function loadAsClaude(text: string, folder: string): LoadedSkill | null {
  const block = /^---\s*\n([^]*?)---\s*(?:\n|$)/.exec(text)
  if (!block) return null
  const { name, description, ...others } = parsed(block[1]!)
  if (name !== folder || !IS_NAME.test(folder) || /[<>]/.test(textOf(description))) return null
  const acting = ['hooks', 'model', 'context', 'agent', 'shell', 'disable-model-invocation', 'user-invocable']
  if (acting.some((key) => key in others)) throw new Error('it has a field that acts')
  return isWithin(textOf(description), 1_024) ? { name: folder, description: textOf(description) } : null
}

const IS_NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/

/** Returns the fields that every reader of YAML finds; throws where the versions of YAML differ. */
function parsed(yaml: string): Readonly<Record<string, unknown>> {
  const [older, newer] = (['1.1', '1.2'] as const).map((version) => parse(yaml, { version }) as Record<string, unknown>)
  if (JSON.stringify(older) !== JSON.stringify(newer)) throw new Error('the versions of YAML differ')
  return newer!
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('it is no text')
  return value
}

function isWithin(text: string, most: number): boolean {
  return text !== '' && [...text].length <= most
}
