import { existsSync, readFileSync } from 'node:fs'

/** Returns the version in package.json, which is one level up from the source and two from the build. */
export function packageVersion(): string {
  const found = ['../package.json', '../../package.json']
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(url))
  if (!found) throw new Error('package.json is missing from the package')
  return (JSON.parse(readFileSync(found, 'utf8')) as { version: string }).version
}
