import { expect } from 'chai'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { buildSite } from '../../docs-site/build.js'
import { readDocuments } from '../../docs-site/documents.js'
import { renderMarkdown, WIDEST_DRAWING } from '../../docs-site/markdown.js'
import { createDocsSite, createIconSite, MANIFEST, SITE_PATH, type SiteFile } from '../../docs-site/site.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

describe('the pages of the documents', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-docs-'))
  const files: SiteFile[] = []
  const textOf = ({ file }: SiteFile) => readFileSync(join(folder, file), 'utf8')
  before(() => {
    buildSite(ROOT, folder)
    files.push(...(JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as SiteFile[]))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('lead only to pages, anchors and files that the site has', () => {
    const pages = files.filter(({ headers }) => headers['Content-Type']!.startsWith('text/html'))
    expect(pages.map(({ path }) => path)).to.include.members(['', '/readme', '/cli', '/rooms/http'])
    const byUrl = new Map(files.map((file) => [`${SITE_PATH}${file.path}`, file]))
    const links = pages.flatMap((page) =>
      [...textOf(page).matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link]) => ({ page, link: link! })),
    )
    expect(links.length).to.be.greaterThan(500)
    const broken = links.filter(({ page, link }) => {
      if (/^https?:/.test(link) || link === '/api/openapi.json') return false
      const [url, anchor] = link.split('#')
      const target = url === '' ? page : byUrl.get(url!)
      return !target || (anchor !== undefined && !textOf(target).includes(` id="${anchor}"`))
    })
    expect(broken.map(({ page, link }) => `${page.path}: ${link}`)).to.deep.equal([])
  })

  it('load nothing from elsewhere, run no script of theirs and are stored compressed too', () => {
    for (const file of files) {
      const policy = file.headers['Content-Security-Policy']!
      expect(policy, file.path).to.match(/^default-src 'none'; /)
      expect(policy, file.path).not.to.match(/unsafe|\*|https?:/)
      expect(gunzipSync(readFileSync(join(folder, `${file.file}.gz`))).toString(), file.path).to.equal(textOf(file))
      if (!file.headers['Content-Type']!.startsWith('text/html')) continue
      if (!['', '/search'].includes(file.path)) expect(policy, file.path).not.to.include('script-src')
      expect(textOf(file), file.path).not.to.match(/<script(?! src="\/docs\/assets\/)|<[^>]* (on\w+|style)=/)
    }
  })

  it('are listed in the order in which they are of use, rooms of the code last', () => {
    const page = textOf(files.find(({ path }) => path === '/readme')!)
    const [, listed] = page.split('<nav id="pages"')
    const place = (path: string) => listed!.indexOf(`href="${SITE_PATH}${path}"`)
    const wanted = [
      '/readme',
      '/concepts',
      '/recipes',
      '/rest',
      '/deployment',
      '/operations',
      '/architecture',
      '/rooms/api',
    ]
    const places = wanted.map(place)
    expect(places).not.to.include(-1)
    expect(places).to.deep.equal([...places].sort((a, b) => a - b))
  })

  it('have every section in what the search reads, without markup', () => {
    const sections = JSON.parse(textOf(files.find(({ path }) => path.endsWith('/sections.json'))!)) as {
      readonly url: string
      readonly heading: string
      readonly text: string
    }[]
    const found = sections.find(({ url }) => url === '/docs/rest#recall')!
    expect(found.heading).to.equal('Recall')
    expect(found.text).to.match(/^POST \/api\/v1\/recall\. What was written a moment ago is found too\. \{ "tenant_id"/)
    expect(new Set(sections.map(({ url }) => url)).size).to.equal(sections.length)
  })

  it('have no drawing in a guide that is wider than a telephone shows', () => {
    const drawn = readDocuments(ROOT).filter(({ group }) => group !== 'Rooms of the code')
    const wide = drawn.flatMap(({ file, text }) =>
      [...text.matchAll(/^```\n([^]*?)^```/gm)]
        .flatMap(([, drawing]) => drawing!.split('\n'))
        .filter((line) => /[│┌├└─▶▼●]/.test(line) && [...line].length > WIDEST_DRAWING)
        .map((line) => `${file}: ${line}`),
    )
    expect(wide).to.deep.equal([])
  })

  it('are said not to be built where they are not, and the icon is empty there', async () => {
    expect(createDocsSite(folder)).to.include({ empty: null })
    expect((await createIconSite(folder).find('')!.read('identity')).toString()).to.match(/^<svg /)
    const none = join(folder, 'none')
    expect(createDocsSite(none).find('')).to.equal(null)
    expect(createDocsSite(none).empty).to.include('`npm run build`')
    const icon = createIconSite(none)
    expect(icon).to.include({ isQuiet: true })
    expect(await icon.find('')!.read('gzip')).to.have.length(0)
    expect(icon.find('/other')).to.equal(null)
  })

  it('show raw HTML as text and make no link that runs a script', () => {
    const { html } = renderMarkdown(
      '# A `b` c\n\n<script>alert(1)</script> <img src=x onerror=alert(1)>\n\n[x](javascript:alert(1)) [y](away.txt) ![z](z.svg)',
      () => null,
    )
    expect(html).to.include('<h1 id="a-b-c">')
    expect(html).to.include('&lt;script&gt;').and.include('&lt;img src=x')
    expect(html).not.to.match(/<script|<img [^>]*onerror|href=/)
    expect(html).to.include(' y ')
  })
})
