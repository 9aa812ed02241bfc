import { readFileSync } from 'node:fs'

export const RECIPES = readFileSync(new URL('../../docs/recipes.md', import.meta.url), 'utf8')

/** Returns the program of docs/recipes.md whose first line is its name. */
export function programOf(name: string): string {
  const programs = [...RECIPES.matchAll(/^```(?:js|python)\n((?:\/\/|#) (\S+)\n[^]*?)^```$/gm)]
  const [, program] = programs.find(([, , found]) => found === name) ?? []
  if (program === undefined) throw new Error(`docs/recipes.md has no ${name}`)
  return program
}

/** Calls `svc_memory` to write what a prompt wants remembered, and `svc_recall` for any other. */
export function rememberOrRecall(prompt: string) {
  const [, content] = /Remember: (.*\.)/.exec(prompt) ?? []
  return content === undefined
    ? { tool: 'svc_recall', args: { op: 'search', query: prompt, top_k: 1 } }
    : { tool: 'svc_memory', args: { op: 'write', content } }
}
