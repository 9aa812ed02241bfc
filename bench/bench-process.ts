import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cleanup } from './cleanup.js'

export interface BenchProcess {
  readonly pid: number
  /** Exit code or signal of the process; null while it runs. */
  exited(): string | null
  /** Returns the last lines that it wrote. */
  lastWords(): string
  /** Sends SIGTERM, and SIGKILL when the process has not ended 30 s later. */
  stop(): Promise<void>
}

interface ProcessOptions {
  /** Name of the log. */
  readonly name: string
  /** Working directory, which also contains the log. */
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
  /** Arguments of the service, not of node. */
  readonly args: readonly string[]
  readonly nodeArgs?: readonly string[]
  readonly cleanup: Cleanup
}

/** Variables that are inherited. Settings of the caller's own service would change what is measured. */
const INHERITED = ['PATH', 'HOME', 'USER', 'LANG', 'TMPDIR', 'LD_LIBRARY_PATH', 'NODE_EXTRA_CA_CERTS']

/** Starts `node args…` with a log of its own; it is stopped at the end of the run at the latest. */
export function startProcess(options: ProcessOptions): BenchProcess {
  const { name, directory, env, args, nodeArgs = [], cleanup } = options
  const log = join(directory, `${name}.log`)
  const output = openSync(log, 'a')
  const inherited = Object.fromEntries(INHERITED.flatMap((key) => (process.env[key] ? [[key, process.env[key]]] : [])))
  const child = spawn(process.execPath, [...nodeArgs, ...args], {
    cwd: directory,
    env: { ...inherited, ...env },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  let ended: string | null = null
  const exit = new Promise<void>((resolve) => {
    child.once('error', (error) => ((ended = error.message), resolve()))
    child.once('exit', (code, signal) => ((ended = signal ?? `code ${code}`), resolve()))
  })
  const running: BenchProcess = {
    pid: child.pid ?? 0,
    exited: () => ended,
    lastWords: () => readFileSync(log, 'utf8').split('\n').slice(-15).join('\n'),
    stop: () => stopChild(child, exit),
  }
  cleanup.add(() => running.stop())
  return running
}

async function stopChild(child: ChildProcess, exit: Promise<void>): Promise<void> {
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), 30_000)
  await exit
  clearTimeout(late)
}
