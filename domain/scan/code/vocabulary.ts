import { OWN_FILES, SETTINGS_FILES } from '../shell/private.js'

/** Where a value comes from, and what was done to it: bits of a set. */
export const LABEL = {
  /** The whole environment, or several secrets of it. */
  environment: 1,
  /** One secret of the environment. */
  secret: 2,
  /** A key, a password store, or another file that belongs to its user alone. */
  privateFile: 4,
  /** A file of settings with secrets. */
  settingsFile: 8,
  /** Whatever lies in the home of the user. */
  home: 16,
  /** Cookies and storage of a web page. */
  page: 32,
  /** The clipboard, keys, the screen, the microphone, packets. */
  input: 64,
  /** Said by the agent or its user. */
  conversation: 128,
  /** Came from the network. */
  remote: 256,
  /** Was decoded. */
  decoded: 512,
  /** Was encoded or encrypted. */
  encoded: 1024,
  /** Came from the network, behind what the program says. */
  inserted: 2048,
  /** There is more of it than is followed. */
  cut: 4096,
} as const

export type LabelName = keyof typeof LABEL

/** Names, as files and as paths, of what belongs to the user alone. */
const FILES: readonly (readonly [LabelName, RegExp])[] = [
  [
    'conversation',
    /\.(?:claude|openclaw|codex|cursor)[/\\](?:history|projects|sessions|conversations|transcripts|memory)|conversation[_-]?history|chat[_-]?history/i,
  ],
  ['privateFile', OWN_FILES],
  ['settingsFile', SETTINGS_FILES],
  [
    'home',
    /^(?:~|\$HOME|%USERPROFILE%)[/\\*]{0,6}(?:(?:Documents|Desktop|Downloads|Pictures)[/\\*.]{0,6})?$|^\/(?:home|Users)[/\\*]*$/,
  ],
]

/** Returns what a file of a name would give to whoever reads it. */
export function labelsOfFile(path: string): number {
  return FILES.reduce((labels, [label, pattern]) => (pattern.test(path) ? labels | LABEL[label] : labels), 0)
}

/** Names of secrets in an environment. */
export const SECRET_NAME =
  /SECRET|TOKEN|API_?KEY|PASSW|PRIVATE_?KEY|CREDENTIAL|ACCESS_KEY|DATABASE_URL|MONGODB_URI|CONNECTION_STRING|MNEMONIC|SEED_PHRASE|WALLET/i

/** The environment of a process. */
export const ENVIRONMENT = /^(?:os\.environb?|environ|process\.env|ENV|env:|System\.getenv|Deno\.env|Bun\.env)$/
export const READS_VARIABLE =
  /^(?:os\.environb?|environ|ENV|Deno\.env|process\.env)\.(?:get|fetch|pop|setdefault|toObject)$|^(?:os\.)?getenv$|^environment\]?\.?::getenvironmentvariable$|environment\.getenvironmentvariable$/i

/** Says what a value is by its name alone. */
export const NAMED: readonly (readonly [LabelName, RegExp])[] = [['page', /(?:^|\.)document\.cookie$/]]

interface Source {
  readonly label: LabelName
  readonly call: RegExp
}

/** Calls that give something private, or something from elsewhere. */
export const SOURCES: readonly Source[] = [
  {
    label: 'input',
    call: /(?:^|\.)(?:pyperclip\.paste|GetClipboardData|clipboard\.(?:readText|read|paste|get)|ImageGrab\.grab(?:clipboard)?|pyautogui\.screenshot|sct\.grab|sounddevice\.rec|sd\.rec|keyboard\.(?:read_event|read_key|record|get_typed_strings)|GetAsyncKeyState|recvfrom)$|^get-clipboard$|desktopCapturer\.getSources$/,
  },
  {
    label: 'page',
    call: /(?:^|\.)(?:browser_cookie3\.\w+|chrome\.cookies\.getAll|context\.cookies|driver\.get_cookies)$/,
  },
  {
    label: 'conversation',
    call: /(?:^|\.)(?:get_conversation(?:_history)?|getConversation(?:History)?|get_chat_history|read_messages)$/,
  },
  {
    label: 'remote',
    call: /^(?:requests|httpx|aiohttp|urllib3?|session|client|http|https|axios|got|needle|superagent|wget|urllib2)(?:\(\))?(?:\.(?:request|client|Session\(\)|Client\(\)|ClientSession\(\)|AsyncClient\(\)|PoolManager\(\)))*\.(?:get|request|urlopen|download|stream|text|json|urlretrieve|send)$|(?:^|\.)(?:urlopen|urlretrieve|fetch|recv|DownloadString|DownloadData|open_uri|HTTPSConnection\(\)\.getresponse)$|^fetch$|^axios$|^got$|Net\.HTTP\.(?:get|get_response|start)$|^URI\.open$|^(?:iwr|irm|wget|curl|invoke-webrequest|invoke-restmethod|start-bitstransfer)$|\.(?:downloadstring|downloaddata|downloadfile)$/,
  },
]

/** Calls that decode, by what they do to a constant; null where only the fact matters. */
export const DECODERS: readonly (readonly [RegExp, ((text: string) => string) | null])[] = [
  [
    /(?:^|\.)(?:b64decode|urlsafe_b64decode|standard_b64decode|decodebytes|atob|decode64|strict_decode64|urlsafe_decode64|frombase64string)$/,
    (text) => Buffer.from(text, 'base64').toString('latin1'),
  ],
  [/(?:^|\.)(?:unhexlify|fromhex|a2b_hex)$/, (text) => Buffer.from(text.replace(/\s/g, ''), 'hex').toString('latin1')],
  [
    /(?:^|\.)(?:b32decode|b85decode|a85decode|b16decode|decompress|inflate\w*|gunzip\w*|unzip\w*|marshal\.loads|pickle\.loads|dill\.loads|cloudpickle\.loads|decrypt|unpack1?|decodeURIComponent|unescape|createDecipheriv)$/,
    null,
  ],
  [/^reversed$|(?:^|\.)(?:reverse|strrev)$/, (text) => Array.from(text).reverse().join('')],
  [/^xor$/, null],
]
export const ENCODERS =
  /(?:^|\.)(?:b64encode|urlsafe_b64encode|standard_b64encode|encodebytes|b32encode|b85encode|hexlify|btoa|encode64|strict_encode64|tobase64string|encrypt|update_cipher|createCipheriv|compress|make_archive|zlib\.deflate\w*)$/

/** Calls whose result says nothing of what they were given. */
export const CLEANERS =
  /(?:^|\.)(?:len|bool|isinstance|exists|isfile|isdir|existsSync|print|sha1|sha224|sha256|sha384|sha512|md5|blake2b|hmac|sign|sign_message|signMessage|signTransaction|sign_transaction|pubkey|public_key|publicKey|createHmac|verify|createHash|hexdigest|startswith|endswith|startsWith|endsWith|includes|test|is_file|is_dir|returncode|statSync|stat|getsize|isEmpty|length|count)$|^(?:log|console\.\w+|logger\.\w+|logging\.\w+|write-host|write-output|puts|test-path)$/

/** Calls that read a file whose path is their first argument, or what they are called on. */
export const READERS =
  /(?:^|\.)(?:open|io\.open|codecs\.open|read_text|read_bytes|readFileSync|readFile|createReadStream|copyFile|copyFileSync|copy2?|copyfile|copytree|cpSync|sqlite3\.connect|IO\.read|File\.(?:read|open|readlines|binread|foreach)|IO\.readlines|readlines|listdir|scandir|walk|readdirSync|readdir|rglob|glob|iglob|Dir\.(?:glob|children|entries)|make_archive|zipfile\.ZipFile|tarfile\.open|\.add|readalltext|readallbytes|load_dotenv|dotenv_values)$|^(?:get-content|gc|cat|type|get-childitem|gci|dir|ls|compress-archive|copy-item)$/i

/** Calls that write: a file is named by their first argument, or by what they are called on. */
export const WRITERS =
  /(?:^|\.)(?:write|writelines|write_text|write_bytes|writeFileSync|writeFile|appendFileSync|appendFile|File\.write|IO\.write|writealltext|appendalltext|createWriteStream|outputFile(?:Sync)?)$|^(?:set-content|add-content|out-file|sc|ac)$/

export const SENDERS =
  /(?:^|\.)(?:requests(?:\.Session\(\))?|httpx(?:\.(?:Async)?Client\(\))?|session|aiohttp\.ClientSession\(\)|axios|got|needle|superagent|client|http|sess|s)\.(?:post|put|patch|request|get|head|delete|options)$|(?:^|\.)(?:urlopen|urllib\.request\.Request|Request|sendall|sendto|sendBeacon|sendmail|send_message|sendMessage|HTTPConnection\(\)\.request|HTTPSConnection\(\)\.request|http\.request|https\.request|http\.get|https\.get|upload_file|upload_fileobj|put_object|storbinary|storlines|uploadstring|uploadfile|uploaddata|gethostbyname|getaddrinfo|dns\.(?:lookup|resolve\w*)|resolver\.resolve|Net\.HTTP\.post(?:_form)?|Net\.HTTP\.get|webhook\.send|WebSocket\(\)\.send|socket(?:\.socket)?\(\)\.send|XMLHttpRequest\(\)\.send|send_document|files_upload)$|^(?:fetch|axios|got|iwr|irm|invoke-webrequest|invoke-restmethod|send-mailmessage|curl|wget|ky)$/

/** Arguments that tell the receiver who asks, and not what is sent. */
export const CREDENTIALS =
  /^(?:headers?|auth|authorization|x-api-key|api[_-]?key|apikey|cookies?|cert|verify|timeout|proxies|username|password|bearer|token|access_token|client_secret|private_token|credential|usebasicparsing|method|contenttype)$/i

/** Commands whose output is private, by their words. */
const OUTPUTS: readonly (readonly [LabelName, RegExp])[] = [
  ['privateFile', OWN_FILES],
  ['settingsFile', SETTINGS_FILES],
  ['environment', /^(?:printenv|env|set|export -p)$/],
  [
    'input',
    /\b(?:pbpaste|xclip|xsel|wl-paste|screencapture|scrot|import -window|gnome-screenshot|tcpdump|tshark|arecord)\b/,
  ],
  ['remote', /^(?:curl|wget)\b/],
]

/** Returns what the output of a command would give to whoever reads it. */
export function labelsOfOutput(command: string): number {
  return OUTPUTS.reduce((labels, [label, pattern]) => (pattern.test(command) ? labels | LABEL[label] : labels), 0)
}

/** Calls that put their arguments into what they are called on. */
export const PUTTERS =
  /^(?:append|extend|add|update|insert|attach|push|unshift|set|setdefault|set_content|add_attachment|concat)$/

export const RUNNERS =
  /^(?:eval|exec|execfile|Function|execSync|spawn|spawnSync|system|instance_eval|class_eval|module_eval|iex|invoke-expression|start-process|execFile|execFileSync)$|(?:^|\.)(?:os\.(?:system|popen|exec[lv]p?e?|spawn[lv]p?e?|startfile)|subprocess\.(?:run|call|Popen|check_call|check_output|getoutput|getstatusoutput)|child_process\.\w+|asyncio\.create_subprocess_(?:shell|exec)|vm\.(?:runIn\w+|Script|compileFunction)|builtins\.(?:eval|exec)|__builtins__\.(?:eval|exec)|Kernel\.(?:eval|system|exec|spawn)|commands\.getoutput|pty\.spawn|runpy\.\w+|instance_eval|invokescript|create_subprocess_shell|spawnSync|execSync|Open3\.\w+|IO\.popen|importlib\.\w*exec_module|ctypes\.\w*CFUNCTYPE)$/
/** Runners whose first argument is code of the same language. */
export const EVALUATORS =
  /^(?:eval|exec|Function|iex|invoke-expression|instance_eval|class_eval)$|(?:builtins|__builtins__|Kernel)\.(?:eval|exec)$|vm\.(?:runIn\w+|Script)$/

export const DELETERS =
  /(?:^|\.)(?:shutil\.rmtree|os\.(?:remove|unlink|rmdir|removedirs)|unlink|rmSync|rmdirSync|unlinkSync|fs\.rm|fs\.rmdir|fs\.unlink|rimraf|fs\.remove|removeSync|FileUtils\.(?:rm_rf|rm_r|remove_dir)|File\.delete|remove-item|ri)$/

/** Calls that hand each key, packet or event to a function that they are given. */
export const LISTENERS =
  /(?:^|\.)(?:keyboard\.(?:Listener|on_press|on_release|hook|on_press_key)|mouse\.Listener|Listener|sniff|scapy\.(?:all\.)?sniff|HookManager\(\)\.\w+|AsyncSniffer|SetWindowsHookExA?)$/
/** Events of a page that carry keys. */
export const KEY_EVENT = /^(?:keydown|keypress|keyup|input|paste|copy)$/
