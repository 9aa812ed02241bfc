import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The files that each file imports, types included; or the parts of a folder that each part of it imports. */
type Imports = ReadonlyMap<string, ReadonlySet<string>>

const FOLDERS = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .filter((name) => !/^\.|^(node_modules|dist|test)$/.test(name))
/** The folder whose parts still import each other in a circle. */
const NOT_IN_ORDER = ['domain/scan']

describe('imports', () => {
  const imports = readImports()

  it('are read, those of types too', () => {
    expect([...imports.get('http/server.ts')!]).to.include('http/app.ts')
    expect([...imports.get('domain/forge/statements.ts')!]).to.include('domain/forge/traces.ts')
  })

  it('close no circle of files', () => {
    expect(circlesOf(imports)).to.deep.equal([])
  })

  it('close no circle of the parts of a folder, so that none imports upwards', () => {
    const circles = foldersOf(imports).map((folder) => [folder, circlesOf(within(imports, folder))] as const)
    const found = new Map(circles.filter(([, edges]) => edges.length > 0))
    expect([...found.keys()]).to.deep.equal(NOT_IN_ORDER, JSON.stringify([...found], null, 1))
  })

  it('that close a circle are found, and those that only meet are not', () => {
    const graph = (edges: Record<string, string[]>): Imports =>
      new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]))
    expect(circlesOf(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).to.deep.equal([])
    expect(circlesOf(graph({ a: ['b'], b: ['c'], c: ['b', 'd'], d: [] }))).to.deep.equal(['b -> c', 'c -> b'])
  })
})

/** Reads the imports among the product's own files. */
function readImports(): Imports {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  ).filter((path) => path.endsWith('.ts') && !/(^|\/)(node_modules|dist)\//.test(path))
  const known = new Set(files)
  return new Map(
    files.map((file) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), 'utf8'), true, true)
      const targets = importedFiles.map(({ fileName }) => join(dirname(file), fileName.replace(/\.js$/, '.ts')))
      return [file, new Set(targets.filter((target) => known.has(target)))]
    }),
  )
}

function foldersOf(imports: Imports): string[] {
  const folders = new Set<string>(['.'])
  for (const file of imports.keys())
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) folders.add(folder)
  return [...folders].sort()
}

/** Returns the imports among the parts of a folder: the files in it, and each folder in it as a whole. */
function within(imports: Imports, folder: string): Imports {
  const prefix = folder === '.' ? '' : `${folder}/`
  const partOf = (file: string) => (file.startsWith(prefix) ? file.slice(prefix.length).split('/')[0]! : null)
  const parts = new Map<string, Set<string>>()
  for (const [file, targets] of imports) {
    const part = partOf(file)
    if (part === null) continue
    const others = parts.get(part) ?? new Set()
    for (const target of targets) {
      const other = partOf(target)
      if (other !== null && other !== part) others.add(other)
    }
    parts.set(part, others)
  }
  return parts
}

/** Returns the imports that are part of a circle, or lie between two: what is left when whatever nobody imports, or imports nobody, is taken away. */
function circlesOf(imports: Imports): string[] {
  let edges = [...imports].flatMap(([from, targets]) => [...targets].map((to) => ({ from, to })))
  for (;;) {
    const importing = new Set(edges.map(({ from }) => from))
    const imported = new Set(edges.map(({ to }) => to))
    const left = edges.filter(({ from, to }) => importing.has(to) && imported.has(from))
    if (left.length === edges.length) return left.map(({ from, to }) => `${from} -> ${to}`)
    edges = left
  }
}
