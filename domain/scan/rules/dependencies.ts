import type { Severity } from '../report.js'
import { invocationsOf, isInData } from '../shell/invocations.js'
import type { Reading } from '../text/reading.js'
import { type Address, addressIn, isDubious, isRegistry } from './hosts.js'
import { rangeOf } from './matches.js'
import type { Match, Rule } from './rule.js'

const INSTALLERS: ReadonlySet<string> = new Set(
  'pip pip2 pip3 pipx uv uvx poetry python python3 npm pnpm yarn bun npx gem easy_install'.split(' '),
)
const INDEX =
  /(?:^|\s)(?:-i|--index-url|--extra-index-url|--default-index|--index|--find-links|-f|--registry|--source)[\s=](\S+)/g
const REPOSITORY = /(?:^|\s)(?:\w[\w.-]{0,40}\s?@\s?)?git\+(https?:\/\/\S+)/g
const ARCHIVE = /(?:^|\s)(?:\w[\w.-]{0,40}@)?(https?:\/\/\S+?\.(?:whl|tgz|zip|gem|tar\.\w+))(?=\s|$|#)/g
/** Packages that nearly everybody has: who offers a build of his own under such a name replaces it. */
const WELL_KNOWN =
  /\/(?:numpy|pandas|requests|urllib3|httpx|cryptography|pillow|jinja2|flask|django|fastapi|pydantic|sqlalchemy|boto3|botocore|setuptools|pip|wheel|certifi|pyyaml|six|scipy|matplotlib|torch|tensorflow|openai|anthropic|langchain|aiohttp|click|rich|lxml|psycopg2?|redis|celery|pytest|ujson|ultrajson|orjson|protobuf|grpcio|lodash|react|express|axios|chalk|commander|webpack|typescript|eslint|next|vue|debug|moment|uuid|dotenv)(?:[-_.@]|\d)[^/]{0,80}$/i

/** Takes packages from where nobody vouches for them. */
const foreignPackages: Rule = {
  code: 'dependency_source',
  severity: 'critical',
  says: 'installs packages from a place that is no known registry',
  *find(reading: Reading): Iterable<Match> {
    for (const pipeline of reading.pipelines)
      for (const { args, command } of invocationsOf(pipeline, INSTALLERS)) {
        const line = args.map(({ text }) => text).join(' ')
        if (!/\b(?:install|add|i|download|sync|run|--registry|set)\b/.test(line)) continue
        const severity = judgeInstall(line)
        if (severity !== null) yield { start: command.start, end: command.end, severity, isData: isInData(pipeline) }
      }
    yield* settings(reading)
  },
}

function judgeInstall(line: string): Severity | null {
  const indexes = [...line.matchAll(INDEX)].map(([, url = '']) => judgeRegistry(url))
  const archives = [...line.matchAll(ARCHIVE)].map(([, url = '']) => judgeArchive(url))
  const repositories = [...line.matchAll(REPOSITORY)].map(([, url = '']) => judgeRepository(url))
  const found = [...indexes, ...archives, ...repositories].filter((severity) => severity !== null)
  return found.includes('critical') ? 'critical' : (found[0] ?? null)
}

/** An index of one's own is ordinary in a company's network, and has a name there. */
function judgeRegistry(url: string): Severity | null {
  const address = /^https?:/i.test(url) ? addressIn(url) : null
  if (!address || isRegistry(address.host) || isPlaceholder(address)) return null
  return 'critical'
}

/** A fork of what nearly everybody has, from a server of one's own, replaces it. */
function judgeRepository(url: string): Severity | null {
  const address = addressIn(url)
  if (!address || FORGE.test(address.host) || isPlaceholder(address)) return null
  return isDubious(address) || WELL_KNOWN.test(url.replace(/\.git\b.*$/, '-')) ? 'critical' : 'warn'
}

const FORGE =
  /(?:^|\.)(?:github|gitlab|bitbucket|codeberg|sr|gitee|huggingface|azure|visualstudio|sourceforge)\.(?:com|org|ht|co|net)$/

function judgeArchive(url: string): Severity | null {
  const address = addressIn(url)
  if (!address || isRegistry(address.host) || isPlaceholder(address)) return null
  return isDubious(address) || WELL_KNOWN.test(url) ? 'critical' : 'warn'
}

function isPlaceholder({ host }: Address): boolean {
  return /(?:^|\.)(?:your|my)[\w-]*\.|\byour[-_]?(?:company|org|domain|registry)|^example\./.test(host)
}

/** Settings that tell package managers where to take packages from, written or exported. */
const SETTINGS =
  /\b(?:PIP_(?:EXTRA_)?INDEX_URL|UV_(?:DEFAULT_|EXTRA_)?INDEX(?:_URL)?|NPM_CONFIG_REGISTRY|npm_config_registry)=["']?(https?:\/\/[^\s"']{4,200})|\bpip3? config set \S{1,40}\.?(?:extra-)?index-url\s+["']?(https?:\/\/[^\s"']{4,200})|\b(?:npm|yarn|pnpm) config set (?:\S{1,40}:)?registry[\s=]+["']?(https?:\/\/[^\s"']{4,200})|^\s{0,8}(?:extra-)?index-url\s?=\s?(https?:\/\/\S{4,200})|\bregistry=(https?:\/\/[^\s"']{4,200})/gim

function* settings({ text }: Reading): Iterable<Match> {
  for (const found of text.matchAll(SETTINGS)) {
    const severity = judgeRegistry(found.slice(1).find((url) => url !== undefined) ?? '')
    if (severity !== null) yield { ...rangeOf(found), severity }
  }
}

export const DEPENDENCY_RULES: readonly Rule[] = [foreignPackages]
