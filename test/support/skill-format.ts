import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parse } from 'yaml'

const FIELDS = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools']

/** Returns what a folder breaks of the published rules of the Agent Skills format, and of what packagers ask for beside them. */
export async function formatFaults(folder: string): Promise<string[]> {
  const file = await readFile(join(folder, 'SKILL.md'), 'utf8')
  // A reader takes what stands between the first two fences, wherever they are: three hyphens within a value would end it.
  const [before, yaml, ...rest] = file.split('---')
  const at = /^---\n(?<yaml>[^]*?)\n---/.exec(file)
  if (before !== '' || rest.length === 0 || at?.groups!.yaml !== yaml!.trim()) return ['no front matter']
  const body = file.slice(at[0].length)
  const { name, description, metadata = {}, ...others } = parse(yaml!) as Record<string, unknown>
  const faults = [
    [typeof name === 'string' && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) && name.length <= 64, 'name'],
    [name === basename(folder), 'a name that is not the folder’s'],
    [typeof description === 'string' && description.trim() !== '' && [...description].length <= 1_024, 'description'],
    [typeof description === 'string' && !/[<>]/.test(description), 'brackets in the description'],
    [Object.keys(others).every((key) => FIELDS.includes(key)), 'unknown fields'],
    [Object.values(others).every((value) => typeof value === 'string'), 'a field that is no text'],
    [Object.values(metadata as object).every((value) => typeof value === 'string'), 'metadata'],
    [!/^\s*---\r?\n(?:.*\n)*?---/.test(body) || !/^\s*---\r?\n\s*name:/.test(body), 'two front matters'],
  ] as const
  return faults.flatMap(([holds, fault]) => (holds ? [] : [fault]))
}
