import { hasFlag, type Invocation, invocationsIn, invocationsOf, isInData } from '../shell/invocations.js'
import type { Pipeline, Simple } from '../shell/command.js'
import { isDangerousTarget, isEverythingHere } from '../shell/targets.js'
import type { Reading } from '../text/reading.js'
import type { Match, Rule } from './rule.js'

const DELETERS = new Set(
  'rm del erase rd rmdir remove-item ri rimraf srm shred find rsync chmod chown mv unlink deltree trash'.split(' '),
)

/** Deletes a root, a home or a system folder and all below it. Deleting below the project is ordinary. */
const recursiveDelete: Rule = {
  code: 'shell_recursive_delete',
  severity: 'critical',
  says: 'deletes a root, a home or a system folder with all that is in it',
  *find(reading: Reading): Iterable<Match> {
    let folder = ''
    for (const pipeline of reading.pipelines) {
      folder = folderAfter(pipeline, folder)
      for (const invocation of invocationsOf(pipeline, DELETERS))
        if (isDestructive(invocation, folder))
          yield { ...matchOf(invocation.command, invocation.start, pipeline), end: endOf(invocation) }
      for (const command of pipeline.commands) {
        const target =
          /(?:rmtree|remove_?tree|rm_?rf|rmsync|rimraf|removeall|fs\.rm|rmdirsync|deleterecursively|delete_?tree)$/i.test(
            command.callee,
          )
            ? command.words[0]?.text
            : undefined
        if (target !== undefined && isDangerousTarget(target)) yield matchOf(command, command.start, pipeline)
      }
    }
  },
}

/** Returns where the dangerous target ends: in prose, words that are none of the command follow it. */
function endOf({ args, command, start }: Invocation): number {
  return args.find(({ text }) => isDangerousTarget(text))?.end ?? Math.max(command.end, start + 1)
}

function folderAfter({ commands }: Pipeline, before: string): string {
  const first = commands[0]
  if (!first) return before
  if (first.before === '\n' && before !== '' && first.words.length > 6) return ''
  const at = first.words.findIndex(({ text }) => /^(?:cd|pushd|set-location|chdir)$/i.test(text))
  return at === -1 ? before : (first.words[at + 1]?.text ?? '~')
}

function isDestructive({ name, args, command }: Invocation, folder: string): boolean {
  const targets = args.map(({ text }) => text)
  const isDangerous = targets.some(
    (target, i) =>
      isDangerousTarget(target) && !/^--?(?:name|path|iname|from|exclude|owner|group)$/.test(targets[i - 1] ?? ''),
  )
  const isHere = isDangerousTarget(folder) && targets.some(isEverythingHere)
  const isListed = listsDangerousTarget(command)
  switch (name) {
    case 'rm':
    case 'srm':
    case 'trash':
      if (targets.includes('--no-preserve-root')) return true
      return hasFlag(args, 'rR', '--recursive', '-recurse', '-r') && (isDangerous || isHere || isListed)
    case 'rimraf':
    case 'deltree':
      return isDangerous
    case 'shred':
      return isDangerous && hasFlag(args, 'uzn', '--remove')
    case 'del':
    case 'erase':
    case 'rd':
    case 'rmdir':
      return isDangerous && targets.some((target) => /^\/[sq]$/i.test(target) || /^-recurse$/i.test(target))
    case 'remove-item':
    case 'ri':
      return (isDangerous || isHere || isListed) && targets.some((target) => /^-r(?:ecurse)?$/i.test(target))
    case 'find':
      return (
        isDangerousTarget(targets[0] ?? '') &&
        (targets.includes('-delete') || /-exec\s+(?:sudo\s+)?(?:rm|shred)\b/.test(targets.join(' '))) &&
        !isNarrow(targets)
      )
    case 'rsync':
      return (
        targets.some((target) => /^--del/.test(target)) &&
        isDangerousTarget(targets.at(-1) ?? '') &&
        /empty|\/dev\/null|\$\(\)/.test(targets.join(' '))
      )
    case 'chmod':
    case 'chown':
      return (
        hasFlag(args, 'R', '--recursive') &&
        isDangerous &&
        !targets.some((target) => /^(?:\$HOME|~)/.test(target) && name === 'chown')
      )
    case 'mv':
      return targets[1] === '/dev/null' && isDangerous
    default:
      return name === 'unlink' && isDangerous && command.words.length < 4
  }
}

const LISTERS = new Set(['ls', 'dir', 'find', 'get-childitem', 'gci', 'echo'])

/** Returns whether the names of all that is in a dangerous place are piped into the command: `ls -d ~/* | xargs rm -rf`. */
function listsDangerousTarget(command: Simple): boolean {
  const { commands } = command.pipeline
  return commands.slice(0, commands.indexOf(command)).some((lister) =>
    invocationsIn(lister, LISTERS).some(({ args }) => {
      const targets = args.map(({ text }) => text)
      return targets.some(isDangerousTarget) && !isNarrow(targets)
    }),
  )
}

/** Returns whether `find` looks for something in particular, such as old files of a kind. */
function isNarrow(targets: readonly string[]): boolean {
  return targets.some(
    (target, i) =>
      target === '-name' && /\w{2}/.test(targets[i + 1] ?? '') && !/^\*?(?:\.\*)?$/.test(targets[i + 1] ?? ''),
  )
}

function matchOf(command: Simple, start: number, pipeline: Pipeline): Match {
  return { start, end: Math.max(command.end, start + 1), isData: isInData(pipeline) }
}

const DISK = /^(?:\/dev\/(?:sda|hda|vda|xvda|nvme0n1|disk0|mmcblk0|rdisk0|mapper\/\w+-root)\w*|\\\\\.\\PhysicalDrive0)$/
const DISK_WRITERS = new Set(
  'dd mkfs mkfs.ext4 mkfs.ext3 mkfs.xfs mkfs.btrfs mkfs.vfat wipefs shred blkdiscard sgdisk format format-volume clear-disk cat cp diskpart'.split(
    ' ',
  ),
)

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
        const targets = args.map(({ text }) => text)
        if (overwrites(name, targets)) yield matchOf(command, start, pipeline)
      }
    }
  },
}

function overwrites(name: string, targets: readonly string[]): boolean {
  const onDisk = targets.some((target) => DISK.test(target.replace(/^of=/, '')))
  if (name === 'dd') return onDisk && targets.some((target) => /^if=\/dev\/(?:zero|u?random|null)/.test(target))
  if (name === 'format') return targets.some((target) => /^c:/i.test(target))
  if (name === 'format-volume')
    return targets.some((target, i) => /^-driveletter$/i.test(target) && /^c/i.test(targets[i + 1] ?? ''))
  if (name === 'clear-disk') return targets.some((target) => /^-removedata$/i.test(target))
  if (name === 'cat' || name === 'cp' || name === 'diskpart') return false
  return onDisk
}

const MASS_DELETERS = new Set(['kubectl', 'oc', 'vssadmin', 'wmic', 'wbadmin', 'bcdedit'])

const massDeletion: Rule = {
  code: 'harmful_instruction',
  severity: 'critical',
  says: 'deletes everything of a cluster, or the backups of a system',
  *find(reading: Reading): Iterable<Match> {
    for (const pipeline of reading.pipelines)
      for (const { name, args, command, start } of invocationsOf(pipeline, MASS_DELETERS)) {
        const line = args.map(({ text }) => text.toLowerCase()).join(' ')
        const isMass =
          name === 'kubectl' || name === 'oc'
            ? /^delete\b/.test(line) &&
              /(?:^| )--all(?: |$)/.test(line) &&
              /(?:^| )(?:-a|--all-namespaces|namespaces?|ns|pv|nodes?|crds?)(?: |$)/.test(line)
            : name === 'bcdedit'
              ? /recoveryenabled no|bootstatuspolicy ignore/.test(line)
              : /delete (?:shadows?|catalog|systemstatebackup)|shadowcopy delete/.test(line)
        if (isMass) yield matchOf(command, start, pipeline)
      }
  },
}

export const DELETION_RULES: readonly Rule[] = [recursiveDelete, diskOverwrite, massDeletion]
