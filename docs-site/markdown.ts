import markdownIt, { type Token } from 'markdown-it'
import { createSlugs } from './slugs.js'

interface Heading {
  readonly level: number
  readonly text: string
  readonly anchor: string
}

/** A heading of a document and the text below it, without markup. */
interface Section {
  /** Null for what stands before the first heading. */
  readonly anchor: string | null
  readonly heading: string
  readonly text: string
}

export interface Rendered {
  readonly html: string
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
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

/** A block of no language is a drawing: on a telephone its letters are so small that it is shown whole (assets/site.css). */
function codeBlock({ content, info }: Token): string {
  const columns = Math.max(...content.split('\n').map((line) => [...line].length))
  const drawing = info === '' && columns <= WIDEST_DRAWING ? ' class="drawing"' : ''
  return `<pre${drawing} tabindex="0" role="region" aria-label="Code"><code>${markdown.utils.escapeHtml(content)}</code></pre>\n`
}

/** Columns that fit a telephone in letters that can still be read. */
export const WIDEST_DRAWING = 60

/** Renders a document to HTML, with anchors at its headings and its links rewritten to pages of the site. Raw HTML in it is escaped. */
export function renderMarkdown(text: string, findTarget: FindTarget): Rendered {
  const tokens = markdown.parse(text, {})
  const headings = anchorHeadings(tokens)
  for (const { children } of tokens) if (children) rewriteLinks(children, findTarget)
  return { html: markdown.renderer.render(tokens, markdown.options, {}), headings, sections: sectionsOf(tokens) }
}

function sectionsOf(tokens: readonly Token[]): Section[] {
  const sections = [{ anchor: null as string | null, heading: '', texts: [] as string[] }]
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const heading = textOf(tokens[at + 1]!)
      sections.push({ anchor: String(token.attrGet('id')), heading, texts: [] })
    } else if (token.type === 'fence' || token.type === 'code_block') sections.at(-1)!.texts.push(token.content)
    else if (token.type === 'inline' && tokens[at - 1]?.type !== 'heading_open')
      sections.at(-1)!.texts.push(textOf(token))
  }
  return sections
    .map(({ texts, ...section }) => ({ ...section, text: texts.join(' ').replace(/\s+/g, ' ').trim() }))
    .filter(({ heading, text }) => heading !== '' || text !== '')
}

function textOf({ children }: Token): string {
  return (children ?? []).map(({ content, type }) => (type === 'softbreak' ? ' ' : content)).join('')
}

function anchorHeadings(tokens: readonly Token[]): Heading[] {
  const slug = createSlugs()
  return tokens.flatMap((token, at) => {
    if (token.type !== 'heading_open') return []
    const text = textOf(tokens[at + 1]!)
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
