import type { Plan } from './plan.js'
import type { RegistrationReport } from './registration.js'
import type { TargetReport } from './sync.js'

/** The outcome of one round: what it did, or would do. */
export interface Round {
  readonly targets: readonly TargetReport[]
  readonly registration: RegistrationReport
  readonly isDryRun: boolean
}

/** Returns true when something could not be read or written, which may be different the next time. */
export function hasFailed({ targets, registration }: Round): boolean {
  return registration.failure !== null || targets.some(({ failure }) => failure !== null)
}

/** Returns true when every directory is as the catalogue says, but for collisions. */
export function isClean(round: Round): boolean {
  const isWhole = ({ refusals, heldBack, contentless }: Plan) =>
    refusals.length + heldBack.length + contentless.length === 0
  return !hasFailed(round) && round.targets.every(({ plan }) => plan !== null && isWhole(plan))
}

/** Returns the lines that tell what changed, or would: none when nothing did. A dry run lists every directory. */
export function describeChanges({ targets, registration, isDryRun }: Round): string[] {
  const would = isDryRun ? 'would be ' : ''
  return [
    ...targets.flatMap(({ target, plan, failure }) => {
      if (plan === null || failure !== null) return []
      const changes = describePlan(plan)
      if (changes.length === 0 && !isDryRun) return []
      const total = `${plan.writes.length} written, ${plan.removals.length} removed, ${plan.unchanged} unchanged`
      return [`${target.dir} (${target.mode})${isDryRun ? ', dry run' : ''}`, ...changes, `  ${total}`]
    }),
    ...registration.added.map((dir) => `${dir} ${would}added to skills.load.extraDirs`),
    ...registration.removed.map((dir) => `${dir} ${would}removed from skills.load.extraDirs`),
  ]
}

function describePlan({ writes, removals }: Plan): string[] {
  return [
    ...writes.map(
      ({ skill, folder, present }) =>
        `  ${present === null ? 'add' : 'update'} ${folder} (${skill.doc_id}, version ${skill.version})`,
    ),
    ...removals.map((name) => `  remove ${name}`),
  ]
}

/** Returns the lines that tell what is not as the catalogue says, and why. */
export function describeProblems({ targets, registration }: Round): string[] {
  return [
    ...targets.flatMap(({ target, plan, failure }) => [
      ...(failure === null ? [] : [`${target.dir}: nothing was changed: ${failure}`]),
      ...(plan === null ? [] : problemsOf(plan).map((problem) => `${target.dir}: ${problem}`)),
    ]),
    ...(registration.failure === null ? [] : [registration.failure]),
  ]
}

export function problemsOf({ collisions, renamings, refusals, contentless, heldBack }: Plan): string[] {
  const held = `not removed: ${heldBack.join(', ')}. This is more than half of the directory; --force removes them.`
  return [
    ...collisions.map(({ folder, winner, losers }) => `${folder} is ${winner}; left out: ${losers.join(', ')}.`),
    ...renamings.map(({ doc_id, folder }) => `${doc_id} is written as ${folder}: its slug is no name of the format.`),
    ...refusals.map(({ name, reason }) => `${name}: ${reason}`),
    ...contentless.map((docId) => `${docId}: the service sent no content.`),
    ...(heldBack.length > 0 ? [held] : []),
  ]
}
