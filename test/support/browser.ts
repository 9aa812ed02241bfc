import { existsSync } from 'node:fs'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { atEndOfRun } from './end-of-run.js'
import { pendingOnce } from './services.js'

/** Debian's Chromium, which `scripts/services up` installs. */
const CHROMIUM = process.env.CAIRN_TEST_CHROMIUM ?? '/usr/bin/chromium'

export interface WatchedPage {
  readonly page: Page
  /** Lists what the page did wrong until now: errors in its console, violations of its policy, failed requests and requests to other hosts. */
  readonly faults: readonly string[]
}

/** Opens a page in a browser context of its own, and resolves once it is loaded. The context is closed after the test. */
export type OpenPage = (url: string, options?: BrowserContextOptions) => Promise<WatchedPage>

/**
 * Registers a suite that needs a browser. Without Chromium it registers a pending test that says how to get it; with CAIRN_TEST_SERVICES=require it
 * throws. The browser starts with the first suite of a run and serves all of them.
 */
export function withBrowser(suite: (open: OpenPage) => void): void {
  if (existsSync(CHROMIUM)) return registerSuite(suite)
  const advice = `needs ${CHROMIUM}: run scripts/services up, or set CAIRN_TEST_CHROMIUM`
  if (process.env.CAIRN_TEST_SERVICES === 'require') throw new Error(advice)
  pendingOnce(advice)
}

let started: Promise<Browser> | undefined

function registerSuite(suite: (open: OpenPage) => void): void {
  let browser: Browser
  before(async () => {
    started ??= startForRun()
    browser = await started
  })
  afterEach(() => Promise.all(browser.contexts().map((context) => context.close())))
  suite(async (url, options) => {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    const faults = watch(page, new URL(url).host)
    await page.goto(url, { waitUntil: 'networkidle' })
    return { page, faults }
  })
}

async function startForRun(): Promise<Browser> {
  // A container gives Chromium's processes little shared memory.
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--disable-dev-shm-usage'] })
  atEndOfRun(() => browser.close())
  return browser
}

function watch(page: Page, host: string): string[] {
  const faults: string[] = []
  // Chromium writes each violation of the content security policy to the console as an error.
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      faults.push(`console ${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`))
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (/^(https?|wss?):$/.test(url.protocol) && url.host !== host) faults.push(`another host: ${request.url()}`)
  })
  page.on('requestfailed', (request) =>
    faults.push(`failed: ${request.url()} ${request.failure()?.errorText ?? ''}`.trim()),
  )
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()}: ${response.url()}`)
  })
  return faults
}
