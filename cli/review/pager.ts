import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Shows a text in the program that the person has chosen for that (`PAGER`). Throws when it does not start. */
export async function showInPager(pager: string, text: string): Promise<void> {
  // As git and man do, a shell reads PAGER, which may have options.
  const program = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'inherit'] })
  // Whoever leaves before the end closes the pipe.
  program.stdin.on('error', () => undefined)
  program.stdin.end(`${text}\n`)
  const [code] = (await once(program, 'close')) as [number | null]
  if (code === 127) throw new Error(`${pager} is not installed`)
}
