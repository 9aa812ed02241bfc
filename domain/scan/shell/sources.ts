import { lineOf, type Simple } from './command.js'
import { type Invocation, invocationsIn } from './invocations.js'

export const DOWNLOADERS: ReadonlySet<string> = new Set(
  'curl wget fetch aria2c http https lwp-request lynx w3m iwr irm invoke-webrequest invoke-restmethod certutil bitsadmin start-bitstransfer nc ncat ftp tftp scp gsutil wget2 curlie xh elinks links axel'.split(
    ' ',
  ),
)
const DECODERS: ReadonlySet<string> = new Set(
  'base64 base32 xxd openssl uudecode rev tr gunzip zcat gzip xz bunzip2 certutil basenc gbase64 b64decode ascii85 base85 uuencode'.split(
    ' ',
  ),
)
const DECODING_CALL =
  /\b(?:[ab]85decode|b(?:32|64)decode|base64\.decode|decode64|FromBase64|unhexlify|fromhex|MIME::Base64|atob)\b/i

/** Returns whether a command obtains something from elsewhere. */
export function downloads(command: Simple): boolean {
  return invocationsIn(command, DOWNLOADERS).some(hasAddress)
}

function hasAddress({ name, args }: Invocation): boolean {
  if (name === 'certutil') return args.some(({ text }) => /^[-/]urlcache$/i.test(text))
  if (name === 'nc' || name === 'ncat') return args.some(({ text }) => /^\d{2,5}$/.test(text))
  return args.some(({ text }) =>
    /:\/\/|\$|[\w-]\.[a-z]{2,}(?:[/:]|$)|^localhost|^\d+(?:\.\d+){3}|^[<{[]\w|\$\(\)|^(?:url|-)$/i.test(text),
  )
}

/** Returns whether a command decodes what it is given. */
export function decodes(command: Simple): boolean {
  return DECODING_CALL.test(lineOf(command)) || invocationsIn(command, DECODERS).some(isDecoder)
}

function isDecoder({ name, args, isFirst }: Invocation): boolean {
  const flags = args.map(({ text }) => text).join(' ')
  switch (name) {
    case 'tr':
      return (
        isFirst &&
        /[a-z]-[a-z]\S{0,20}\s\S{0,20}[a-z]-[a-z]/i.test(flags) &&
        !/upper|lower|A-Z a-z$|a-z A-Z$/.test(flags)
      )
    case 'rev':
    case 'gunzip':
    case 'zcat':
    case 'bunzip2':
      return isFirst
    case 'xxd':
      return /(?:^|\s)-\w*r/.test(flags)
    case 'openssl':
      return /\b(?:enc|base64)\b/.test(flags) && /(?:^|\s)-d\b/.test(flags)
    case 'uudecode':
    case 'b64decode':
      return true
    default:
      return /(?:^|\s)(?:-[A-Za-z]*[dD]\b|--decode|--d\b|-decode|--decompress)/.test(flags)
  }
}

/** Returns the file that a command saves what it downloads or decodes in; null for its output. */
export function savedFile(command: Simple): string | null {
  const texts = command.words.map(({ text }) => text)
  const names = command.words.map(({ name }) => name)
  if (names.includes('certutil') && texts.some((text) => /^-decode$/i.test(text))) return texts.at(-1)!
  if (texts.some((text) => /^-[a-zA-Z]*O-$|^--output-document=-$/.test(text))) return null
  const output = texts.findIndex((text) =>
    /^(?:-[a-zA-Z]*[oO]|--output|--output-document|-OutFile|-Destination)$/.test(text),
  )
  const isRemoteName = /^-[a-zA-Z]*O$/.test(texts[output] ?? '') && names.includes('curl')
  const target = texts[output + 1]
  if (output !== -1 && !isRemoteName && target !== undefined) return target === '-' ? null : target
  const url = texts.find((text) => text.includes('://'))
  return url !== undefined && (isRemoteName || names.some((name) => /^(?:wget|aria2c|certutil)$/.test(name)))
    ? baseOf(url.split(/[?#]/, 1)[0]!)
    : null
}

export function baseOf(path: string): string | null {
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  return base.length >= 1 && base.length <= 80 ? base : null
}
