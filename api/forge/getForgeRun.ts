import { NotFoundError } from '../../runtime/errors.js'
import { findRun } from '../../store/forge/runs.js'
import type { Operation } from '../operation.js'
import { presentRun } from './present-run.js'

export const getForgeRun: Operation<'getForgeRun'> = async ({ store }, principal, { params }) => {
  const run = await store.read(principal, (reader) => findRun(reader, params.run_id.toLowerCase()))
  if (!run) throw new NotFoundError('Forge run')
  return { status: 200, body: presentRun(run) }
}
