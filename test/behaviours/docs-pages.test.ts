import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { cairnContract } from '../../http/validation/contract.js'
import { withBrowser } from '../support/browser.js'
// Builds the present sources, and with them the pages.
import '../support/processes.js'
import { describeOnEachProfile, describeOnEmbedded } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const VIEWS = [
  { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
] as const
const DARK = 0x40

describeOnEachProfile((profile) => {
  const service = sharedService(profile)

  it('are read without a key, with a policy that allows no other host and no inline script', async () => {
    for (const path of ['/docs', '/docs/readme', '/docs/operations']) {
      const answer = await fetch(`${service().url}${path}`)
      expect(answer.status, path).to.equal(200)
      expect(answer.headers.get('content-security-policy'), path).to.match(/^default-src 'none'/)
      expect(await answer.text(), path).to.match(/^<!doctype html>/)
    }
    const other = await fetch(`${service().url}/docs/nothing`)
    expect([other.status, await other.json()]).to.have.nested.property('1.error.code', 'NOT_FOUND')
    const missing = await fetch(`${service().url}/docs/nothing`, { headers: { Accept: 'text/html' } })
    expect([missing.status, missing.headers.get('content-security-policy')?.slice(0, 18)]).to.deep.equal([
      404,
      "default-src 'none'",
    ])
    expect(await missing.text()).to.match(/^<!doctype html>[^]*<a href="\/docs">/)
  })

  it('name the route that is meant by an address without /api/v1, or with a near name', async () => {
    const near = { '/recall': 'POST /api/v1/recall', '/api/v1/memory': 'POST /api/v1/memories' }
    for (const [path, hint] of Object.entries(near)) {
      const { error } = (await (await fetch(`${service().url}${path}`, { method: 'POST' })).json()) as {
        error: { message: string }
      }
      expect(error.message).to.equal(
        `There is no route POST ${path}; did you mean ${hint}? The API is described at /docs.`,
      )
    }
  })

  it('have an icon where browsers look for it beside what is no page', async () => {
    const icon = await fetch(`${service().url}/favicon.ico`)
    expect([icon.status, icon.headers.get('content-type'), icon.headers.get('cache-control')]).to.deep.equal([
      200,
      'image/svg+xml',
      'public, max-age=86400',
    ])
    expect(await icon.text()).to.match(/^<svg /)
  })

  it('have what they load stored for ever, and are asked for anew themselves', async () => {
    const page = await (await fetch(`${service().url}/docs`)).text()
    const assets = [...page.matchAll(/(?:href|src)="(\/docs\/assets\/[^"]+)"/g)].map(([, path]) => path!)
    expect(assets).to.have.length(6)
    for (const path of assets) {
      const answer = await fetch(`${service().url}${path}`)
      expect([path, answer.status, answer.headers.get('cache-control')]).to.deep.equal([
        path,
        200,
        'public, max-age=31536000, immutable',
      ])
      await answer.arrayBuffer()
    }
  })
})

describeOnEmbedded(() => {
  const service = sharedService('embedded')

  withBrowser((open) => {
    for (const view of VIEWS) {
      it(`of the documents are readable in ${view.colorScheme} at ${view.viewport.width} px`, async () => {
        const { page, faults } = await open(`${service().url}/docs/configuration`, view)
        await expectReadable(page, view, ['body'])
        expect(faults).to.deep.equal([])
      })

      it(`of the reference are readable in ${view.colorScheme} at ${view.viewport.width} px`, async () => {
        const { page, faults } = await open(`${service().url}/docs#/memories/rateMemory`, view)
        await page.locator('.is-open .microlight').first().waitFor()
        await expectReadable(page, view, ['header', '.information-container', '[id$="probes"]', '.is-open'])
        expect(faults).to.deep.equal([])
      })
    }

    it('of the guides show their drawings whole on a telephone', async () => {
      for (const path of ['concepts', 'architecture', 'contributing']) {
        const { page, faults } = await open(`${service().url}/docs/${path}`, {
          colorScheme: 'light',
          viewport: { width: 390, height: 800 },
        })
        const drawings = (await page.evaluate(`[...document.querySelectorAll('.drawing')].map((one) => ({
          isCut: one.scrollWidth > one.clientWidth,
          size: parseFloat(getComputedStyle(one.firstElementChild).fontSize),
        }))`)) as { isCut: boolean; size: number }[]
        expect(drawings, path).not.to.be.empty
        for (const { isCut, size } of drawings) {
          expect(isCut, path).to.equal(false)
          expect(size, path).to.be.at.least(9)
        }
        expect(faults).to.deep.equal([])
      }
    })

    it('are searched from each page, and lead to the section', async () => {
      const { page, faults } = await open(`${service().url}/docs/readme`, VIEWS[1])
      await page.locator('[name=q]').fill('erase for good')
      await page.keyboard.press('Enter')
      const first = page.locator('main li a').first()
      await first.waitFor()
      expect(await page.locator('[role=status]').textContent()).to.match(/^\d+ sections/)
      await expectReadable(page, VIEWS[1], ['body'])
      const links = await page.locator('main li a').evaluateAll((all) => all.map((one) => one.getAttribute('href')))
      expect(links).to.include.members(['/docs/operations#erasure'])
      await page.locator('[name=q]').fill('xylophone quux')
      await page.keyboard.press('Enter')
      await page.getByText('Nothing has all of these words.').waitFor()
      expect(faults).to.deep.equal([])
    })

    it('of the reference begin with what agents call, and explain no limit first', async () => {
      const { page } = await open(`${service().url}/docs`)
      await page.locator('.opblock-tag').first().waitFor()
      const tags = await page
        .locator('.opblock-tag')
        .evaluateAll((all) => all.map((one) => one.getAttribute('data-tag')))
      expect([tags[0], tags[1], tags.at(-1)]).to.deep.equal(['memories', 'recall', 'probes'])
      const described = await page.locator('.info .description').innerText()
      expect(described.length).to.be.below(500)
    })

    it('of the reference list every operation, and open one by the keyboard', async () => {
      const { page, faults } = await open(`${service().url}/docs`)
      const operations = page.locator('.opblock')
      const { routes } = cairnContract()
      await operations.nth(routes.length - 1).waitFor()
      const listed = await operations.evaluateAll((blocks) => blocks.map(({ id }) => id.split('-').at(-1)))
      expect(listed).to.have.members(routes.map(({ operationId }) => operationId))

      const control = page.locator('[id$="-createMemory"] .opblock-summary-control')
      for (let presses = 0; !(await control.evaluate((at) => at.matches(':focus'))); presses++) {
        expect(presses, 'times that Tab was pressed').to.be.lessThan(20)
        await page.keyboard.press('Tab')
      }
      await page.keyboard.press('Enter')
      await page.locator('[id$="-createMemory"] .opblock-body').waitFor()
      expect(page.url()).to.match(/#\/memories\/createMemory$/)
      expect(faults).to.deep.equal([])
    })
  })
})

/** Expects the wanted colours, nothing wider than the window, and no fault against WCAG 2 A and AA that axe finds in some parts of the page. */
async function expectReadable(
  page: Page,
  { colorScheme, viewport }: (typeof VIEWS)[number],
  parts: readonly string[],
): Promise<void> {
  const ground = (await page.evaluate(`getComputedStyle(document.body).backgroundColor`)) as string
  const [red] = /\d+/.exec(ground) ?? []
  expect(Number(red) < DARK ? 'dark' : 'light').to.equal(colorScheme)
  expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(viewport.width)
  await page.evaluate(AXE)
  const { violations } = (await page.evaluate(
    `axe.run({ include: ${JSON.stringify(parts)} }, { runOnly: ['wcag2a', 'wcag2aa'] })`,
  )) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`)).to.deep.equal([])
}
