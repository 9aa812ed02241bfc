/** Media types of what skills bring along, by the ending of the name. */
const TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  txt: 'text/plain',
  csv: 'text/csv',
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  ts: 'text/typescript',
  py: 'text/x-python',
  rb: 'text/x-ruby',
  sh: 'application/x-sh',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  toml: 'application/toml',
  xml: 'application/xml',
  pdf: 'application/pdf',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
}

/** Returns the media type that the name of a file says. */
export function mediaTypeOf(path: string): string {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]!.toLowerCase() ?? ''
  return Object.hasOwn(TYPES, ending) ? TYPES[ending]! : 'application/octet-stream'
}
