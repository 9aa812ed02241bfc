import { readdirSync, readFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import { languageOfTag } from '../domain/text/language-tag.js'
import { type Language, languageOf } from '../domain/text/language.js'

export interface LanguagesBenchOptions {
  /** A folder of files `CODE.txt` with a text in each line. */
  readonly data: string
  /** Characters of the longest text; longer ones are cut at a space. A text has at least a quarter of them. */
  readonly characters: number
}

/** Prints how often `languageOf` says a language, and which share of that is right, for texts in files by language. */
export async function benchLanguages({ data, characters }: LanguagesBenchOptions): Promise<void> {
  const figures = readdirSync(data)
    .filter((file) => file.endsWith('.txt'))
    .sort()
    .map((file) => measure(languageOfTag(parse(file).name), textsOf(join(data, file), characters)))
  const all = ['texts', 'said', 'right', 'cpu'] as const
  const sums = Object.fromEntries(all.map((key) => [key, figures.reduce((sum, figure) => sum + figure[key], 0)]))
  console.log(`languages of texts of ${Math.ceil(characters / 4)} to ${characters} characters`)
  console.table(
    Object.fromEntries([
      ...figures.map((figure) => [figure.language, rowOf(figure)] as const),
      ['all', rowOf({ ...(sums as unknown as Figures), taken: '' })],
    ]),
  )
}

function textsOf(path: string, characters: number): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => beginningOf(line.trim(), characters))
    .filter((text) => text.length >= characters / 4)
}

function beginningOf(text: string, characters: number): string {
  if (text.length <= characters) return text
  const cut = text.slice(0, characters)
  return cut.includes(' ') ? cut.slice(0, cut.lastIndexOf(' ')) : cut
}

interface Figures {
  readonly texts: number
  /** Texts for which a language was said, and those of them for which it is the one of the file. */
  readonly said: number
  readonly right: number
  /** Languages said instead, the most frequent first. */
  readonly taken: string
  /** Microseconds of CPU. */
  readonly cpu: number
}

function measure(language: Language | null, texts: readonly string[]): Figures & { readonly language: string } {
  const begin = process.cpuUsage()
  const said = texts.map((text) => languageOf(text)).filter((found) => found !== null)
  const { user, system } = process.cpuUsage(begin)
  const wrong = new Map<Language, number>()
  for (const found of said) if (found !== language) wrong.set(found, (wrong.get(found) ?? 0) + 1)
  const taken = [...wrong].sort((a, b) => b[1] - a[1]).slice(0, 4)
  return {
    language: language ?? 'unknown',
    texts: texts.length,
    said: said.length,
    right: said.filter((found) => found === language).length,
    taken: taken.map(([found, number]) => `${found} ${number}`).join(', '),
    cpu: user + system,
  }
}

function rowOf({ texts, said, right, taken, cpu }: Figures) {
  return {
    texts,
    'said %': Number(((100 * said) / texts).toFixed(1)),
    'right of said %': Number(((100 * right) / said).toFixed(1)),
    'taken for': taken,
    'µs a text': Number((cpu / texts).toFixed(0)),
  }
}
