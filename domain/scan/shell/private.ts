import { lineOf, type Simple } from './command.js'

/** Files and output that hold what is nobody else's business, by what they belong to. Public halves and templates are not among them. */
const STORES: Readonly<Record<string, string>> = {
  ssh: String.raw`\.ssh(?:[/\\](?!known_hosts|control-|config\b|authorized_keys|[\w-]+\.pub)|["'\s]|$)|\bid_(?:rsa|ed25519|ecdsa|dsa)\b(?!\.pub)`,
  aws: String.raw`(?<![\w>])\.aws(?:[/\\]|\b(?!\.))|aws configure export|secretsmanager get-secret`,
  cloud: String.raw`(?<![\w>])\.(?:config/gcloud|azure|boto|terraform\.d|vault-token)\b|application_default_credentials|gcloud auth print|vault kv get|(?<!=\w{1,8}://)(?:169\.254\.169\.254|metadata\.google\.internal)`,
  cluster: String.raw`(?<![\w>])\.kube\b|/etc/kubernetes/admin|kubectl get secrets?\b|/var/run/secrets/kubernetes`,
  pgp: String.raw`\.gnupg\b`,
  packages: String.raw`\.(?:npmrc|pypirc|yarnrc|docker/config\.json|m2/settings\.xml|gem/credentials)\b`,
  git: String.raw`\.git-credentials\b|\.netrc\b|\.config/(?:gh|hub)\b|gh auth token`,
  databases: String.raw`\.(?:pgpass|my\.cnf)\b`,
  history: String.raw`\.(?:bash|zsh|python|mysql|psql)_history\b`,
  dotenv: String.raw`(?:^|[\s"'@/\\=<(])\.env(?:\.(?!example|sample|template|dist|test)\w+)?(?=["'\s);,|&]|$)`,
  system: String.raw`/etc/(?:passwd|shadow|sudoers)\b|/proc/(?:self|\d+|\*)/environ`,
  environment: String.raw`\bprintenv\b|(?:^|[\s(;&|])env\s*(?:$|[|)>])|\bexport -p\b|Get-ChildItem env:|\b(?:gci|dir) env:|JSON\.stringify\(process\.env\b`,
  files: String.raw`\bcredentials(?:\.json|\.csv|\.xml|\.db)\b|\bsecrets?\.(?:ya?ml|json|txt|env|toml)\b|service[-_]?account[\w-]*\.json`,
  vaults: String.raw`\w\.(?:kdbx|p12|pfx|jks|keystore)\b|\.password-store\b|find-(?:generic|internet)-password|dump-keychain|cmdkey /list|secret-tool|\bpass show\b|op item get|security export|keyrings?[/\\]|\bmimikatz\b`,
  browser: String.raw`Login Data\b|cookies\.sqlite|\bkey4\.db\b|logins\.json|Local State\b|(?:Default|Chrome|Profile \d)[/\\](?:Network[/\\])?Cookies\b`,
  wallet: String.raw`\bwallet\.dat\b|\.(?:ethereum|electrum|bitcoin|solana|monero|exodus)\b[/\\]|[/\\](?:Ethereum|Exodus|Electrum|Bitcoin)(?:[/\\]|$)|keystore[/\\]|Local Extension Settings|\.config/solana/id\.json`,
}

/** Stores of settings: a program that sends some of them to their own service is ordinary. */
const OF_SETTINGS: ReadonlySet<string> = new Set(['dotenv', 'files'])

function patternOf(isWanted: (store: string) => boolean): RegExp {
  return new RegExp(
    Object.entries(STORES)
      .filter(([store]) => isWanted(store))
      .map(([, pattern]) => pattern)
      .join('|'),
    'im',
  )
}

export const PRIVATE = patternOf(() => true)
export const SETTINGS_FILES = patternOf((store) => OF_SETTINGS.has(store))
export const OWN_FILES = patternOf((store) => !OF_SETTINGS.has(store) && store !== 'environment')
const PATTERNS = Object.entries(STORES).map(([store, pattern]) => [store, new RegExp(pattern, 'gim')] as const)

/** Returns what private stores a text names, and the words that name them. */
export function storesIn(text: string): { readonly store: string; readonly name: string }[] {
  if (!PRIVATE.test(text)) return []
  return PATTERNS.flatMap(([store, pattern]) =>
    [...text.matchAll(pattern)].map(({ index }) => ({
      store,
      name: /[^\s`"'(]{0,120}$/.exec(text.slice(0, index))![0] + /^\s?[^\s`"']{0,80}/.exec(text.slice(index))![0],
    })),
  )
}

/** Flags whose argument stays here: a key to log in with, a certificate, a file to write. */
const KEPT =
  /(?:\s|^)(?:--?(?:cacert|cert|key|ca-certificate|certificate|private-key|identity|env-file|netrc-file|exclude|exclude-from|from-env-file|from-file|output|kubeconfig|pass|keyring)|-[iEoO]|-o\w*|--config|-K|-F(?= \S*ssh_config))[= ]["']?\S+/g

/** Returns a line without what flags keep here. */
export function withoutKept(line: string): string {
  return line.replace(KEPT, ' ')
}

/** Returns whether a command reads private files or the environment. */
export function readsPrivate(command: Simple): boolean {
  let line = ` ${lineOf(command)} `.slice(0, 3_000)
  for (const { operator, target } of command.redirects) if (operator.startsWith('<')) line += ` ${target} `
  if (/^ set $/.test(line)) return command.pipeline.commands.length > 1
  return PRIVATE.test(withoutKept(line))
}
