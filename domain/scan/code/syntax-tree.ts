import { createRequire } from 'node:module'
import type * as TreeSitter from '@vscode/tree-sitter-wasm'
import type { Language, Parser, TreeCursor } from '@vscode/tree-sitter-wasm'

const require = createRequire(import.meta.url)

export type CodeLanguage = 'python' | 'javascript' | 'powershell' | 'ruby'

/** A named node of a syntax tree. Positions are UTF-16 units of the code. */
export interface SyntaxNode {
  readonly type: string
  /** Names what the node is to its parent, such as `left`; null for a plain child. */
  readonly field: string | null
  readonly start: number
  readonly end: number
  readonly children: readonly SyntaxNode[]
  /** The operator between its children; '' where there is none. */
  readonly operator: string
}

/** TSX is read as a superset of TypeScript and JavaScript. */
const GRAMMARS: Readonly<Record<CodeLanguage, string>> = {
  python: 'python',
  javascript: 'tsx',
  powershell: 'powershell',
  ruby: 'ruby',
}
/** Code nested deeper than this is not read: a recursive walk has to end. */
const DEEPEST = 250

/** More open brackets than this at once are no code that anybody wrote, and too many for the parser's own stack. */
const MOST_OPEN = 500

/** The parser takes some 20 steps for each 1,000 characters of ordinary code, and many more to recover from what is none. */
const STEPS_PER_KB = 25
const LEAST_STEPS = 150

/** An instance of the parser, and its languages. */
interface Instance {
  readonly parser: Parser
  readonly languages: ReadonlyMap<CodeLanguage, Language>
}

let instance: Instance | null = await createInstance()

/** Loads the parser again when a text has broken it: such a text leaves its memory in disorder. Called before each scan. */
export async function repairParser(): Promise<void> {
  instance ??= await createInstance()
}

async function createInstance(): Promise<Instance> {
  const name = '@vscode/tree-sitter-wasm'
  // An instance of WebAssembly belongs to the module that loaded it.
  delete require.cache[require.resolve(name)]
  const { Language, Parser } = require(name) as typeof TreeSitter
  await Parser.init()
  const languages = new Map<CodeLanguage, Language>()
  for (const [language, grammar] of Object.entries(GRAMMARS) as [CodeLanguage, string][])
    languages.set(language, await Language.load(require.resolve(`${name}/wasm/tree-sitter-${grammar}.wasm`)))
  return { parser: new Parser(), languages }
}

/**
 * Parses code; what is no code of the language stands in nodes of the type `ERROR`. Returns null for code that the parser cannot read:
 * it is nested too deeply, or far from the language. Then the parser may have to be repaired.
 */
export function parseCode(language: CodeLanguage, code: string): SyntaxNode | null {
  if (!instance || !looksLikeCode(code)) return null
  try {
    instance.parser.setLanguage(instance.languages.get(language)!)
    let left = LEAST_STEPS + (STEPS_PER_KB * code.length) / 1_000
    const tree = instance.parser.parse(code, null, { progressCallback: () => --left < 0 })
    if (!tree) {
      instance.parser.reset()
      return null
    }
    const cursor = tree.walk()
    const root = readNode(cursor, code, 0)
    cursor.delete()
    tree.delete()
    return root
  } catch {
    instance = null
    return null
  }
}

/** Returns whether people could have written the code: with names, and without hundreds of open brackets. */
function looksLikeCode(code: string): boolean {
  const letters = code.match(/[\p{L}\p{N}\s]/gu)?.length ?? 0
  if (letters < code.length / 4) return false
  let open = 0
  for (const sign of code)
    if ((sign === '(' || sign === '[' || sign === '{') && ++open > MOST_OPEN) return false
    else if ((sign === ')' || sign === ']' || sign === '}') && open > 0) open--
  return true
}

/** Returns the tree below a cursor; null for one that is too deep. */
function readNode(cursor: TreeCursor, code: string, depth: number): SyntaxNode | null {
  if (depth > DEEPEST) return null
  const node = {
    type: cursor.nodeType,
    field: cursor.currentFieldName,
    start: cursor.startIndex,
    end: cursor.endIndex,
    operator: '',
  }
  const children: SyntaxNode[] = []
  if (cursor.gotoFirstChild()) {
    do {
      if (cursor.nodeIsNamed) {
        const child = readNode(cursor, code, depth + 1)
        if (!child) return null
        children.push(child)
      } else if (cursor.currentFieldName === 'operator') node.operator = code.slice(cursor.startIndex, cursor.endIndex)
    } while (cursor.gotoNextSibling())
    cursor.gotoParent()
  }
  return { ...node, children }
}

/** Returns the child that is something to a node. */
export function childOf(node: SyntaxNode, field: string): SyntaxNode | undefined {
  return node.children.find((child) => child.field === field)
}
