import { Session, type NodeWorker, type Profiler } from 'node:inspector'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

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
    return new Set(
      taken.flatMap(({ result }) => result.filter(isEntered).map(({ url }) => fileOf(url))).filter(isProduct),
    )
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

/** The function that begins where its script begins is the top level. */
function isEntered({ functions }: Profiler.ScriptCoverage): boolean {
  return functions.some(({ ranges: [whole] }) => whole!.startOffset > 0 && whole!.count > 0)
}

function fileOf(url: string): string {
  return url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)) : '../'
}

function isProduct(file: string): boolean {
  return !NOT_PRODUCT.test(file)
}
