/** Writes the tables that are read at start, packed, since building them then would take a second and 140 MB. */
import { readFile, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { languageNgrams } from './language-ngrams.js'
import { packVocabulary } from './pieces.js'

const ROOT = new URL('../../', import.meta.url)

/** Returns the contents of the files by their paths. */
export async function tables(): Promise<Readonly<Record<string, Uint8Array>>> {
  const vocabulary = (name: string) => readFile(new URL(`models/static/${name}/vocab.txt`, ROOT), 'utf8')
  return {
    'domain/text/language-ngrams.gen.json': Buffer.from(await languageNgrams()),
    'models/static/en-256/pieces.trie': packVocabulary(await vocabulary('en-256'), { bareForms: false }),
    'models/static/multi-256/pieces.trie': packVocabulary(await vocabulary('multi-256'), { bareForms: true }),
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for (const [path, content] of Object.entries(await tables())) await writeFile(new URL(path, ROOT), content)
