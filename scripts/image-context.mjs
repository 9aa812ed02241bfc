import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const DOCKERIGNORE = 'deploy/Dockerfile.dockerignore'

/** Lists what `COPY . .` copies in a repository: tracked and new files, without what Dockerfile.dockerignore leaves out. */
export function contextFiles(root) {
  const leavingOut = `--exclude-from=${DOCKERIGNORE}`
  const leftOut = new Set(list('--cached', '--ignored', leavingOut))
  const tracked = list('--cached').filter((path) => !leftOut.has(path) && existsSync(join(root, path)))
  return [...tracked, ...list('--others', '--exclude-standard', leavingOut)]

  function list(...options) {
    const output = execFileSync('git', ['ls-files', '-z', ...options], { cwd: root, encoding: 'utf8' })
    return output.split('\0').filter(Boolean)
  }
}
