import type { Reading } from '../text/reading.js'
import issuers from './issuers.json' with { type: 'json' }

/** Hosts that exist to receive what others send without asking who they are: request bins, anonymous uploads, out-of-band testing, tunnels. */
const COLLECTORS = String.raw`webhook\.site|requestbin\.\w+|pipedream\.net|beeceptor\.com|hookbin\.com|requestcatcher\.com|requestinspector\.com|burpcollaborator\.net|oastify\.com|oast\.(?:pro|live|site|online|fun|me)|interact\.sh|interactsh\.com|dnslog\.cn|ceye\.io|xss\.ht|canarytokens\.(?:com|org)|transfer\.sh|file\.io|0x0\.st|ix\.io|termbin\.com|bashupload\.com|anonfiles\.com|gofile\.io|catbox\.moe|temp\.sh|sprunge\.us|paste\.rs|paste\.ee|dpaste\.\w+|hastebin\.\w+|ghostbin\.\w+|pastebin\.com|postb\.in|ptsv\d?\.com|mockbin\.\w+|typedwebhook\.tools|ngrok(?:-free)?\.(?:app|io|dev)|serveo\.net|localhost\.run|loca\.lt|trycloudflare\.com|webhook-test\.com|smee\.io|bin\.webhookrelay\.com|pastes\.io|tmpfiles\.org|uguu\.se|api\.telegram\.org\/bot|discord(?:app)?\.com\/api\/webhooks`
export const COLLECTOR = new RegExp(String.raw`(?<![\w.-])(?:[\w-]{1,63}\.){0,4}(?:${COLLECTORS})(?![\w-])`, 'gi')

/** Places where anybody leaves a text or a file without a name: snippets, shortened addresses, file hosts, dynamic names. */
const ANYBODYS = String.raw`(?:[\w-]+\.)*(?:glot\.io|rentry\.(?:co|org)|pastebin\.\w+|paste\.\w+|pastes\.io|hastebin\.\w+|ghostbin\.\w+|dpaste\.\w+|termbin\.com|ix\.io|0x0\.st|sprunge\.us|telegra\.ph|gist\.github(?:usercontent)?\.com|controlc\.com|justpaste\.it|bit\.ly|tinyurl\.com|t\.co|rb\.gy|is\.gd|cutt\.ly|shorturl\.at|transfer\.sh|file\.io|gofile\.io|catbox\.moe|anonfiles\.com|mediafire\.com|mega\.nz|dropbox(?:usercontent)?\.com|temp\.sh|tmpfiles\.org|cdn\.discordapp\.com|ngrok(?:-free)?\.\w+|serveo\.net|loca\.lt|trycloudflare\.com|duckdns\.org|no-ip\.\w+|ddns\.net|setup-service\.com)`
export const ANYBODYS_HOST = new RegExp(`^${ANYBODYS}$`, 'i')

/** Where well-known tools document that they are installed from. */
const INSTALLERS =
  /^(?:sh\.rustup\.rs|astral\.sh\/|get\.docker\.com|claude\.ai\/install|bun\.(?:sh|com)\/install|deno\.land\/(?:x\/)?install|install\.duckdb\.org|release\.(?:solana|anza)\.(?:com|xyz)\/|get\.k3s\.io|get\.helm\.sh|get\.sdkman\.io|install\.python-poetry\.org|pyenv\.run|fly\.io\/install|ollama\.(?:com|ai)\/install|get\.pnpm\.io|deb\.nodesource\.com|rpm\.nodesource\.com|raw\.githubusercontent\.com\/(?:nvm-sh\/nvm|Homebrew\/install|ohmyzsh\/ohmyzsh|helm\/helm|anchore\/\w+|aquasecurity\/\w+|rancher\/k3d|golangci\/golangci-lint|pypa\/get-pip)\/|foundry\.paradigm\.xyz|get\.volta\.sh|mise\.(?:run|jdx\.dev)|starship\.rs\/install|dl\.google\.com\/|sdk\.cloud\.google\.com|aka\.ms\/|dot\.net\/|get\.pulumi\.com|cli\.github\.com|cursor\.com\/install|opencode\.ai\/install|get\.scoop\.sh|community\.chocolatey\.org\/install|chocolatey\.org\/install|bootstrap\.pypa\.io|nixos\.org\/nix|install\.determinate\.systems|sh\.vector\.dev|dl\.min\.io|temporal\.download|get\.tur\.so|get\.modular\.com|pixi\.sh\/install|micro\.mamba\.pm|vercel\.com|cli\.inference\.sh|antigravity\.google|x\.ai\/cli)/i

/** Registries and mirrors that package managers are pointed at, and private ones that an account stands behind. */
const REGISTRIES =
  /^(?:(?:[\w-]+\.)*(?:pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|yarnpkg\.com|npmmirror\.com|rubygems\.org|crates\.io|pkg\.dev|pkg\.github\.com|amazonaws\.com|azure\.com|visualstudio\.com|gitlab\.com|gitlab-static\.net|github\.com|githubusercontent\.com|googleapis\.com|pytorch\.org|nvidia\.com|ngc\.nvidia\.com|fury\.io|jfrog\.io|cloudsmith\.io|anaconda\.(?:org|cloud)|anaconda\.com|huggingface\.co|aliyun\.com|tuna\.tsinghua\.edu\.cn|ustc\.edu\.cn|tencent(?:yun)?\.com|huaweicloud\.com|piwheels\.org|jsr\.io|packagist\.org|maven\.org|openmmlab\.com|explosion\.ai|vllm\.ai|google\.com|microsoft\.com|apache\.org))$/i

/** An address of the web, taken apart; null where a word has none. */
export interface Address {
  readonly scheme: string
  readonly host: string
  /** The rest, without the slash that it begins with. */
  readonly path: string
}

export function addressIn(text: string): Address | null {
  const found =
    /(?:(https?|ftp):\/\/)?(?:[^\s/@"']{1,120}@)?((?:\[[\d:a-f]{2,45}\]|[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}|localhost))(?::\d{1,5})?(?:\/([^\s"'`)>]{0,400}))?/i.exec(
      text,
    )
  return found && { scheme: (found[1] ?? 'https').toLowerCase(), host: found[2]!.toLowerCase(), path: found[3] ?? '' }
}

/** Returns the first address of a line that has a scheme. */
export function addressOf(line: string): Address | null {
  const found = /[a-z][a-z0-9+.-]{1,12}:\/\/\S{1,400}/i.exec(line)
  return found && addressIn(found[0])
}

const LOCAL =
  /^(?:localhost|host\.docker\.internal|0\.0\.0\.0|\[::1\]|(?:127|10)(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2})$|\.(?:localhost|local|internal|lan|corp|intranet|svc|home)$/

/** Returns whether a host is on this machine or in a network of one's own. */
export function isLocal(host: string): boolean {
  return LOCAL.test(host)
}

/** Returns whether nobody can say who stands behind an address: it has no name, no encryption, or a name that anybody gets. */
export function isDubious({ scheme, host }: Address): boolean {
  if (isLocal(host)) return false
  return (
    scheme !== 'https' ||
    /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) ||
    /(?:^|\.)xn--/.test(host) ||
    ANYBODYS_HOST.test(host)
  )
}

export function isRegistry(host: string): boolean {
  return isLocal(host) || REGISTRIES.test(host)
}

const INSTALL_PATH = /^$|(?:^|\/)(?:install|get|setup)[\w-]*(?:\.(?:sh|ps1|py))?(?:[?#].*)?$|^(?:cli|sh)$/i

/**
 * Judges a download that is run by its address: only noted where a well-known tool documents it, for a person to decide where it looks like
 * an installer's or is that of what the text itself is about; null for any other.
 */
export function judgeInstaller(reading: Reading, address: Address): 'info' | 'warn' | null {
  if (isDubious(address)) return null
  if (INSTALLERS.test(`${address.host}/${address.path}`) || isLocal(address.host)) return 'info'
  const isLike = INSTALL_PATH.test(address.path) || ownersOf(address).some((owner) => isTalkedOf(reading, owner))
  return isLike ? 'warn' : null
}

/** Returns names of who an address belongs to: the registered part of a host, the account and the repository of a code host. */
function ownersOf({ host, path }: Address): string[] {
  const names = /^(?:raw\.githubusercontent\.com|github\.com|gitlab\.com|codeberg\.org)$/.test(host)
    ? path.split('/').slice(0, 2)
    : [ownLabel(host)]
  return names
    .map(plain)
    .filter((name) => name.length >= 4 && !/^(?:example|setup|install|scripts?|tools?)+$/.test(name))
}

/** Returns the label of a host that somebody registered: `example` of `api.example.co.uk`. */
function ownLabel(host: string): string {
  const labels = host.split('.')
  return labels.at(/^(?:com?|org|net|gov|ac|edu)$/.test(labels.at(-2) ?? '') ? -3 : -2) ?? ''
}

/** Names of issuers by the beginnings of their variables. The first beginning of a row is the name. */
const ISSUERS: ReadonlyMap<string, string> = new Map(
  issuers.flatMap(({ variables }) => variables.map((variable) => [variable, variables[0]!] as const)),
)
/** Domains that belong to an issuer alone; none for what a machine of one's own issues. */
const DOMAINS: ReadonlyMap<string, readonly string[]> = new Map(
  issuers.map(({ variables, domains }) => [variables[0]!, domains]),
)

/** Returns who issued a secret, by the name of its variable: `GITHUB` of `GH_TOKEN`. */
export function issuerOf(variable: string): string {
  const begin = variable.split('_')[0]!.toUpperCase()
  return ISSUERS.get(begin) ?? begin
}

/** Returns whether an issuer is one whose hosts are known. */
export function isKnownIssuer(issuer: string): boolean {
  return DOMAINS.has(issuer)
}

/**
 * Returns whether a host belongs to an issuer: `api.github.com` to `GITHUB`, and not `github-collect.example`. One whose hosts are not known
 * has those where its own name is registered.
 */
export function isHostOf(host: string, issuer: string): boolean {
  const domains = DOMAINS.get(issuer)
  if (!domains) return ownLabel(host) === issuer.toLowerCase()
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`))
}

const proses = new WeakMap<Reading, string>()

/** Returns whether a text names something outside of its addresses. */
function isTalkedOf(reading: Reading, name: string): boolean {
  let prose = proses.get(reading)
  if (prose === undefined) {
    prose = plain(reading.lower.replace(/(?:https?:\/\/|\b[\w-]{1,63}\.)[^\s"'`<>]{0,400}/g, ' '))
    proses.set(reading, prose)
  }
  return prose.includes(name)
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}
