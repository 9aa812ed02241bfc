import type { IncomingMessage } from 'node:http'
import { setSerializedBody } from '../../runtime/json.js'
import { matchesTag } from '../entity-tags.js'
import type { Answer } from '../errors.js'
import { splitTarget } from '../request-context.js'
import { takesGzip } from '../send-answer.js'
import { routeOfSite, type FileEncoding, type StaticFile, type StaticSite } from '../static-site.js'
import type { Step } from './middleware.js'

/** Takes the route of a site where it has a file for the request's path, with or without a slash at its end. */
export function takeFile(site: StaticSite): Step {
  const route = routeOfSite(site)
  return (context) => {
    context.operationId = site.name
    context.query = ''
    context.isQuiet = site.isQuiet ?? false
    const isRead = context.method === 'GET' || context.method === 'HEAD'
    if (!fileOf(site, context.request.url)) {
      const { missing, empty } = site
      context.match = { kind: 'none', ...(empty && { because: empty }) }
      if (missing && asksForPage(context.request)) context.refusalOf = (answer) => pageOf(missing, answer)
    } else if (isRead) context.match = { kind: 'route', route, rawParams: {} }
    else context.match = { kind: 'method', allow: 'GET, HEAD' }
  }
}

/** Answers with the file, compressed where the caller takes that, with 304 where the caller has it already, or with 204 where it is empty. */
export function answerFile(site: StaticSite): Step {
  return async (context) => {
    const { request, headers } = context
    const file = fileOf(site, request.url)!
    const isCompressed = takesGzip(request)
    const encoding: FileEncoding = isCompressed ? 'gzip' : 'identity'
    const etag = `"${file.tag}${isCompressed ? '-gzip' : ''}"`
    const answered = { ...file.headers, ETag: etag, Vary: 'Accept-Encoding' }
    if (matchesTag(headers['if-none-match'], etag))
      return void (context.answer = { status: 304, headers: answered, body: undefined })
    const bytes = await file.read(encoding)
    if (bytes.length === 0) return void (context.answer = { status: 204, headers: file.headers, body: undefined })
    context.answer = {
      status: 200,
      headers: { ...answered, ...(isCompressed && { 'Content-Encoding': 'gzip' }) },
      body: setSerializedBody({}, bytes),
    }
  }
}

/** Reports whether a browser asks, which names the type; a program takes whatever comes, or JSON. */
function asksForPage({ headers }: IncomingMessage): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '')
}

function pageOf({ headers, html }: NonNullable<StaticSite['missing']>, answer: Answer): Answer {
  if (answer.status !== 404) return answer
  return { status: 404, headers: { ...answer.headers, ...headers }, body: setSerializedBody({}, Buffer.from(html)) }
}

/** Looks the path up as it was sent: nothing is decoded and no path of the disk is made of it. */
function fileOf(site: StaticSite, url: string | undefined): StaticFile | null {
  return site.find(splitTarget(url ?? '/')[0].replace(/\/$/, ''))
}
