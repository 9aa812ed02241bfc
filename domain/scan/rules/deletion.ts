import { lineOf, type Pipeline, type Simple } from '../shell/command.js'
import { hasFlag, type Invocation, invocationsIn, invocationsOf, isInData } from '../shell/invocations.js'
import { isDangerousTarget, isEverythingHere } from '../shell/targets.js'
import type { Reading } from '../text/reading.js'
import type { Match, Rule } from './rule.js'

/** Programs that delete, each with what makes it delete all of a dangerous target that it is given. */
const DELETERS: ReadonlyMap<string, (line: string, args: Invocation['args']) => boolean> = new Map([
  ['rm', isRecursive],
  ['srm', isRecursive],
  ['trash', isRecursive],
  ['rimraf', () => true],
  ['deltree', () => true],
  ['shred', (_line, args) => hasFlag(args, 'uzn', '--remove')],
  ['del', isOfWindows],
  ['erase', isOfWindows],
  ['rd', isOfWindows],
  ['rmdir', isOfWindows],
  ['remove-item', isOfPowerShell],
  ['ri', isOfPowerShell],
  ['find', (line) => /\s-delete\b|-exec\s+(?:sudo\s+)?(?:rm|shred)\b/.test(line) && !isNarrow(line)],
  ['rsync', (line) => /\s--del/.test(line) && /empty|\/dev\/null|\$\(\)/.test(line)],
  ['chmod', (_line, args) => hasFlag(args, 'R', '--recursive')],
  ['chown', (line, args) => hasFlag(args, 'R', '--recursive') && !/\s(?:\$HOME|~)/.test(line)],
  ['mv', (line) => /\s\/dev\/null$/.test(line)],
])
const NAMES = new Set(DELETERS.keys())

function isRecursive(_line: string, args: Invocation['args']): boolean {
  return hasFlag(args, 'rR', '--recursive', '-recurse', '-r')
}

function isOfWindows(line: string): boolean {
  return /\s\/[sq]\b|\s-recurse\b/i.test(line)
}

function isOfPowerShell(line: string): boolean {
  return /\s-r(?:ecurse)?\b/i.test(line)
}

/** Returns whether `find` looks for something in particular, such as old files of a kind. */
function isNarrow(line: string): boolean {
  const name = /\s-name\s(\S{1,80})/.exec(line)?.[1] ?? ''
  return /\w{2}/.test(name) && !/^\*?(?:\.\*)?$/.test(name)
}

/** Deletes a root, a home or a system folder and all below it. Deleting below the project is ordinary. */
const recursiveDelete: Rule = {
  code: 'shell_recursive_delete',
  severity: 'critical',
  says: 'deletes a root, a home or a system folder with all that is in it',
  *find(reading: Reading): Iterable<Match> {
    let folder = ''
    for (const pipeline of reading.pipelines) {
      folder = folderAfter(pipeline, folder)
      for (const invocation of invocationsOf(pipeline, NAMES)) {
        const end = isDestructive(invocation, folder)
        if (end !== null) yield { ...matchOf(invocation.command, invocation.start, pipeline), end }
      }
    }
  },
}

function folderAfter({ commands: [first] }: Pipeline, before: string): string {
  if (!first || (first.before === '\n' && before !== '' && first.words.length > 6)) return first ? '' : before
  const at = first.words.findIndex(({ text }) => /^(?:cd|pushd|set-location|chdir)$/i.test(text))
  return at === -1 ? before : (first.words[at + 1]?.text ?? '~')
}

/** Returns where the words end that name what is deleted; null where nothing dangerous is. */
function isDestructive({ name, args, command, start }: Invocation, folder: string): number | null {
  const texts = args.map(({ text }) => text)
  const line = ` ${texts.join(' ')}`
  const target = args.find(
    ({ text }, i) =>
      isDangerousTarget(text) && !/^--?(?:name|path|iname|from|exclude|owner|group)$/.test(texts[i - 1] ?? ''),
  )
  const isHere = isDangerousTarget(folder) && texts.some(isEverythingHere)
  const isAll = name === 'rm' && texts.includes('--no-preserve-root')
  const isAimed =
    target !== undefined || (/^(?:rm|srm|trash|remove-item|ri)$/.test(name) && (isHere || isListed(command)))
  return isAll || (isAimed && DELETERS.get(name)!(line, args))
    ? (target?.end ?? Math.max(command.end, start + 1))
    : null
}

const LISTERS = new Set(['ls', 'dir', 'find', 'get-childitem', 'gci', 'echo'])

/** Returns whether the names of all that is in a dangerous place are piped into the command: `ls -d ~/* | xargs rm -rf`. */
function isListed(command: Simple): boolean {
  const { commands } = command.pipeline
  return commands
    .slice(0, commands.indexOf(command))
    .some((lister) =>
      invocationsIn(lister, LISTERS).some(
        ({ args }) => args.some(({ text }) => isDangerousTarget(text)) && !isNarrow(lineOf(lister)),
      ),
    )
}

function matchOf(command: Simple, start: number, pipeline: Pipeline): Match {
  return { start, end: Math.max(command.end, start + 1), isData: isInData(pipeline) }
}

const DISK =
  /^(?:of=)?(?:\/dev\/(?:sda|hda|vda|xvda|nvme0n1|disk0|mmcblk0|rdisk0|mapper\/\w+-root)\w*|\\\\\.\\PhysicalDrive0)$/
const DISK_WRITERS = new Set(
  'dd mkfs mkfs.ext4 mkfs.ext3 mkfs.xfs mkfs.btrfs mkfs.vfat wipefs shred blkdiscard sgdisk format format-volume clear-disk'.split(
    ' ',
  ),
)
const ON_WINDOWS: Readonly<Record<string, RegExp>> = {
  format: /\sc:/i,
  'format-volume': /\s-driveletter\sc/i,
  'clear-disk': /\s-removedata\b/i,
}

const diskOverwrite: Rule = {
  code: 'shell_disk_overwrite',
  severity: 'critical',
  says: 'overwrites or formats a disk',
  *find(reading: Reading): Iterable<Match> {
    for (const pipeline of reading.pipelines) {
      for (const command of pipeline.commands)
        if (command.redirects.some(({ operator, target }) => operator.startsWith('>') && DISK.test(target)))
          yield matchOf(command, command.start, pipeline)
      for (const { name, args, command, start } of invocationsOf(pipeline, DISK_WRITERS)) {
        const line = ` ${args.map(({ text }) => text).join(' ')}`
        const isOver =
          args.some(({ text }) => DISK.test(text)) && (name !== 'dd' || /\sif=\/dev\/(?:zero|u?random|null)/.test(line))
        if (ON_WINDOWS[name]?.test(line) ?? isOver) yield matchOf(command, start, pipeline)
      }
    }
  },
}

/** Programs that delete what a whole system or cluster cannot do without, each with the arguments that say so. */
const MASS: Readonly<Record<string, RegExp>> = {
  kubectl: /^(?=.* --all(?: |$))delete\b.* (?:-a|--all-namespaces|namespaces?|ns|pv|nodes?|crds?)(?: |$)/,
  bcdedit: /recoveryenabled no|bootstatuspolicy ignore/,
  vssadmin: /delete shadows?/,
  wmic: /shadowcopy delete/,
  wbadmin: /delete (?:catalog|systemstatebackup)/,
}
const MASS_NAMES = new Set(Object.keys(MASS))

const massDeletion: Rule = {
  code: 'harmful_instruction',
  severity: 'critical',
  says: 'deletes everything of a cluster, or the backups of a system',
  *find(reading: Reading): Iterable<Match> {
    for (const pipeline of reading.pipelines)
      for (const { name, args, command, start } of invocationsOf(pipeline, MASS_NAMES))
        if (MASS[name]!.test(args.map(({ text }) => text.toLowerCase()).join(' ')))
          yield matchOf(command, start, pipeline)
  },
}

export const DELETION_RULES: readonly Rule[] = [recursiveDelete, diskOverwrite, massDeletion]
