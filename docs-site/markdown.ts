import markdownIt, { type Token } from 'markdown-it'
import { createSlugs } from './slugs.js'

interface Heading {
  readonly level: number
  readonly text: string
  readonly anchor: string
}

export interface Rendered {
  readonly html: string
  readonly headings: readonly Heading[]
}

/** Returns where a link of a document leads on the site; null where it leads to nothing that the site has. */
type FindTarget = (link: string) => string | null

/** HTML in a document is shown as text, and a link with a scheme that could run a script is none. */
const markdown = markdownIt({ html: false, linkify: false })

// A wide table or block of code scrolls by itself, also by the keyboard.
markdown.renderer.rules.table_open = () => '<div class="wide" tabindex="0" role="region" aria-label="Table">\n<table>\n'
markdown.renderer.rules.table_close = () => '</table>\n</div>\n'
markdown.renderer.rules.fence = (tokens, at) => codeBlock(tokens[at]!)
markdown.renderer.rules.code_block = (tokens, at) => codeBlock(tokens[at]!)

function codeBlock({ content }: Token): string {
  return `<pre tabindex="0" role="region" aria-label="Code"><code>${markdown.utils.escapeHtml(content)}</code></pre>\n`
}

/** Renders a document to HTML, with anchors at its headings and its links rewritten to pages of the site. Raw HTML in it is escaped. */
export function renderMarkdown(text: string, findTarget: FindTarget): Rendered {
  const tokens = markdown.parse(text, {})
  const headings = anchorHeadings(tokens)
  for (const { children } of tokens) if (children) rewriteLinks(children, findTarget)
  return { html: markdown.renderer.render(tokens, markdown.options, {}), headings }
}

function anchorHeadings(tokens: readonly Token[]): Heading[] {
  const slug = createSlugs()
  return tokens.flatMap((token, at) => {
    if (token.type !== 'heading_open') return []
    const children = tokens[at + 1]!.children ?? []
    const text = children.map(({ content }) => content).join('')
    const anchor = slug(text)
    token.attrSet('id', anchor)
    return [{ level: Number(token.tag.slice(1)), text, anchor }]
  })
}

/** Sets the targets of the links of a line. The text of a link that leads nowhere stays. */
function rewriteLinks(tokens: Token[], findTarget: FindTarget): void {
  const open: boolean[] = []
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const target = findTarget(String(token.attrGet('href')))
      if (target !== null) token.attrSet('href', target)
      open.push(target !== null)
      if (target === null) makeEmpty(token)
    } else if (token.type === 'link_close') {
      if (!open.pop()) makeEmpty(token)
    } else if (token.type === 'image') {
      token.attrSet('src', findTarget(String(token.attrGet('src'))) ?? '')
    }
  }
}

function makeEmpty(token: Token): void {
  Object.assign(token, { type: 'text', tag: '', content: '', nesting: 0 })
}
