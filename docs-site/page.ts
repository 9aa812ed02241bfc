import { GROUPS, type Document } from './documents.js'
import type { Rendered } from './markdown.js'
import { SITE_PATH } from './site.js'

export const SEARCH_PATH = `${SITE_PATH}/search`

/** Addresses of what pages load. */
interface PageAssets {
  readonly icon: string
  readonly styles: readonly string[]
  readonly scripts: readonly string[]
}

/** Returns the page of a document, with the navigation of the site after it. */
export function documentPage(
  document: Document,
  { html, headings }: Rendered,
  documents: readonly Document[],
  assets: PageAssets,
): string {
  const parts = headings.filter(({ level }) => level === 2)
  const contents = parts.map(({ text, anchor }) => `<li><a href="#${anchor}">${escape(text)}</a></li>`).join('')
  const listed = documents.map((other) => ({
    group: other.group,
    item:
      other === document
        ? `<li><a href="${other.url}" aria-current="page">${escape(other.title)}</a>${contents && `<ul>${contents}</ul>`}</li>`
        : `<li><a href="${other.url}">${escape(other.title)}</a></li>`,
  }))
  const groups = GROUPS.map((group) => {
    const items = listed.filter((entry) => entry.group === group).map(({ item }) => item)
    return `<h2>${group}</h2>\n<ul>\n${items.join('\n')}\n</ul>`
  })
  return page(
    `${document.title} · cairn`,
    assets,
    `<div class="columns">
<main id="content">
${html}</main>
<nav id="pages" aria-label="Pages">
${groups.join('\n')}
</nav>
</div>`,
  )
}

/** Returns the page of the API reference, which its script fills. */
export function referencePage(assets: PageAssets): string {
  return page(
    'API reference · cairn',
    assets,
    `<main id="content">
<h1 class="unseen">API reference</h1>
<div id="reference"><noscript><p>The reference is drawn by a script. The contract itself is at <a href="/api/openapi.json">/api/openapi.json</a>.</p></noscript></div>
</main>`,
  )
}

/** Returns the page of the search, which its script fills; `sections` is the address of what is searched. */
export function searchPage(assets: PageAssets, sections: string): string {
  return page(
    'Search · cairn',
    assets,
    `<main id="content" class="search" data-sections="${sections}">
<h1>Search</h1>
<p role="status"><noscript>The search needs a script; <a href="${SITE_PATH}/readme#pages">all pages</a> are listed beside each document.</noscript></p>
</main>`,
  )
}

/** Returns the page of an address that no page has. */
export function missingPage(assets: PageAssets): string {
  return page(
    'Not found · cairn',
    assets,
    `<main id="content">
<h1>There is no such page</h1>
<p>The API is described at <a href="${SITE_PATH}">${SITE_PATH}</a>; the documents begin with the <a href="${SITE_PATH}/readme">readme</a>.</p>
</main>`,
  )
}

function page(title: string, { icon, styles, scripts }: PageAssets, content: string): string {
  const links = styles.map((href) => `<link rel="stylesheet" href="${href}">`)
  const loads = scripts.map((src) => `<script src="${src}" defer></script>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
<link rel="icon" href="${icon}">
${[...links, ...loads].join('\n')}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<strong>cairn</strong>
<nav aria-label="Site">
<a href="${SITE_PATH}">API reference</a>
<a href="${SITE_PATH}/readme">Documents</a>
<a href="${SITE_PATH}/readme#pages" class="narrow">All pages</a>
</nav>
<form action="${SEARCH_PATH}" role="search">
<input type="search" name="q" aria-label="Search the documents" required>
<button>Search</button>
</form>
</header>
${content}
</body>
</html>
`
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)
}
