import { readFileSync } from 'node:fs'
import { Session, type NodeWorker, type Profiler } from 'node:inspector'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** The folders of this repository that are not the product. */
const NOT_PRODUCT = /^(\.\.|node_modules|test|scripts)\//

/** Sends a method to the profiler of one thread, and resolves with its result. */
type Profile = (method: string, params?: object) => Promise<unknown>

/**
 * Returns the product's files of which a function is called while the work is done, in this thread and in those that it
 * has started. The top level of a file is no function. What runs beside the work, such as a timer, is counted too.
 */
export async function enteredFiles(work: () => Promise<unknown>): Promise<ReadonlySet<string>> {
  const scripts = await coverageOf(work)
  return new Set(scripts.flatMap(sourcesOf).filter((file) => !NOT_PRODUCT.test(file)))
}

/** Returns how often a function of a file, which is not compiled, is called while the work is done. */
export async function callsOf(name: string, file: string, work: () => Promise<unknown>): Promise<number> {
  const scripts = (await coverageOf(work)).filter(({ url }) => url === pathToFileURL(resolve(ROOT, file)).href)
  const called = scripts.flatMap(({ functions }) => functions.filter(({ functionName }) => functionName === name))
  return called.reduce((sum, { ranges: [whole] }) => sum + whole!.count, 0)
}

async function coverageOf(work: () => Promise<unknown>): Promise<Profiler.ScriptCoverage[]> {
  const session = new Session()
  session.connect()
  try {
    const threads = [inThisThread(session), ...(await inOtherThreads(session))]
    const all = (method: string, params?: object) => Promise.all(threads.map((profile) => profile(method, params)))
    await all('Profiler.enable')
    await all('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await all('Profiler.takePreciseCoverage')
    await work()
    const taken = (await all('Profiler.takePreciseCoverage')) as Profiler.TakePreciseCoverageReturnType[]
    await all('Profiler.stopPreciseCoverage')
    return taken.flatMap(({ result }) => result)
  } finally {
    session.disconnect()
  }
}

function inThisThread(session: Session): Profile {
  return (method, params) =>
    new Promise((resolve, reject) =>
      session.post(method, params, (error, result) => (error ? reject(error) : resolve(result))),
    )
}

/** Attaches the session to the threads that this one has started, each by a session of its own within it. */
async function inOtherThreads(session: Session): Promise<Profile[]> {
  const replies = new Map<number, (result: unknown) => void>()
  const sessions: string[] = []
  session.on('NodeWorker.attachedToWorker', ({ params }) => void sessions.push(params.sessionId))
  session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    const { id, result } = JSON.parse(params.message) as { id: number; result: unknown }
    replies.get(id)?.(result)
  })
  const post = inThisThread(session)
  await post('NodeWorker.enable', { waitForDebuggerOnStart: false } satisfies NodeWorker.EnableParameterType)
  let lastId = 0
  return sessions.map((sessionId) => (method, params) => {
    const id = ++lastId
    const reply = new Promise((resolve) => replies.set(id, resolve))
    return post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify({ id, method, params }) }).then(
      () => reply,
    )
  })
}

/** Returns the files of the functions of a script that were called. The function that begins where the script begins is its top level. */
function sourcesOf({ url, functions }: Profiler.ScriptCoverage): string[] {
  const called = functions.map(({ ranges: [whole] }) => whole!).filter(({ startOffset }) => startOffset > 0)
  const offsets = called.filter(({ count }) => count > 0).map(({ startOffset }) => startOffset)
  if (offsets.length === 0 || !url.startsWith('file:')) return []
  const path = fileURLToPath(url)
  const sourceAt = COMPILED_THREAD.test(path) ? sourceFinder(readFileSync(path, 'utf8')) : () => path
  return [...new Set(offsets.map((offset) => relative(ROOT, sourceAt(offset))))]
}

/** Matches the file of a thread, compiled with all that it imports (runtime/threads/compiled-source.ts). */
const COMPILED_THREAD = /\/node_modules\/\.cache\/cairn\/threads\//
const INLINE_MAP = /\/\/# sourceMappingURL=data:application\/json;base64,(\S+)/

/** Returns a function that finds the file which a place of a compiled text was compiled from. */
function sourceFinder(compiled: string): (offset: number) => string {
  const [, payload] = INLINE_MAP.exec(compiled)!
  const map = new SourceMap(JSON.parse(Buffer.from(payload!, 'base64').toString()) as SourceMapPayload)
  return (offset) => {
    const before = compiled.slice(0, offset)
    const line = before.split('\n').length - 1
    const entry = map.findEntry(line, offset - (before.lastIndexOf('\n') + 1))
    return resolve('originalSource' in entry ? entry.originalSource : 'node_modules')
  }
}
