import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A disk that a test may fill. */
export interface SmallDisk {
  readonly path: string
  /** Settings of a process for which the disk is to be full. */
  readonly env: Readonly<Record<string, string>>
  fill(): Promise<void>
  free(): Promise<void>
  remove(): Promise<void>
}

/** Returns a tmpfs of this many MiB, or null where this process may not mount one. */
export async function mountSmallDisk(mebibytes: number): Promise<SmallDisk | null> {
  const path = await mkdtemp(join(tmpdir(), 'cairn-disk-'))
  const ballast = join(path, 'ballast')
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0755`, 'tmpfs', path])
  } catch {
    await rm(path, { recursive: true })
    return null
  }
  return {
    path,
    env: {},
    async fill() {
      const file = await open(ballast, 'a')
      try {
        for (const size of [1 << 20, 4096]) await writeUntilFull(file, Buffer.alloc(size))
      } finally {
        await file.close()
      }
    },
    free: () => rm(ballast, { force: true }),
    async remove() {
      await run('umount', ['-l', path])
      await rm(path, { recursive: true, force: true })
    },
  }
}

async function writeUntilFull(file: Awaited<ReturnType<typeof open>>, block: Buffer): Promise<void> {
  try {
    for (;;) await file.write(block)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

/**
 * Simulates such a disk: returns a folder in which a process with these settings creates files that it cannot write to.
 */
export async function pretendSmallDisk(): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), 'cairn-disk-'))
  const shim = join(tmpdir(), `cairn-full-disk-${process.pid}.mjs`)
  await writeFile(
    shim,
    `import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const { writeFile } = fs.promises
    fs.promises.writeFile = async (file, data, options) => {
      if (!String(file).startsWith(${JSON.stringify(path)})) return writeFile(file, data, options)
      await writeFile(file, '', options)
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    }
    syncBuiltinESMExports()`,
  )
  return {
    path,
    env: { NODE_OPTIONS: `--import=${shim}` },
    fill: () => Promise.resolve(),
    free: () => Promise.resolve(),
    async remove() {
      await Promise.all([rm(path, { recursive: true }), rm(shim)])
    },
  }
}

/** Creates a folder on the disk. */
export async function folderOn(disk: SmallDisk, name: string): Promise<string> {
  const path = join(disk.path, name)
  await mkdir(path, { recursive: true, mode: 0o700 })
  return path
}
