import type { components } from '../../contract/types.js'
import type { Operation } from '../operation.js'
import { presentEmbedder } from '../present-embedder.js'
import { checkDependencies } from './dependencies.js'

type Dependencies = components['schemas']['Health']['dependencies']
type Problem = components['schemas']['HealthProblem']

/** Answers 200 while the process serves. Problems of its dependencies make the status `degraded`; they are no reason to restart it. */
export const getHealth: Operation<'getHealth'> = async (context) => {
  const states = await checkDependencies(context)
  const problems = states.flatMap(({ dependency, fault, message }): Problem[] =>
    fault === null ? [] : [{ dependency: fieldOf(dependency), reason: fault.reason, message: message! }],
  )
  return {
    status: 200,
    body: {
      status: problems.length === 0 ? 'ok' : 'degraded',
      version: context.version,
      uptime_s: Math.max(0, context.clock.now() - context.startedAt) / 1000,
      dependencies: Object.fromEntries(
        states.map(({ dependency, state }) => [fieldOf(dependency), state]),
      ) as Dependencies,
      embedder: presentEmbedder(context.embedder),
      problems,
    },
  }
}

function fieldOf(dependency: string): Problem['dependency'] {
  return dependency.replace(' ', '_') as Problem['dependency']
}
