import { expect } from 'chai'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { buildSite } from '../../docs-site/build.js'
import { renderMarkdown } from '../../docs-site/markdown.js'
import { MANIFEST, SITE_PATH, type SiteFile } from '../../docs-site/site.js'

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
      if (file.path !== '') expect(policy, file.path).not.to.include('script-src')
      expect(textOf(file), file.path).not.to.match(/<script(?! src="\/docs\/assets\/)|<[^>]* (on\w+|style)=/)
    }
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
