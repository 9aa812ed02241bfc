import { readPage } from '../../http/pages.js'
import { NotFoundError } from '../../runtime/errors.js'
import { listMovesOf } from '../../store/skills/history.js'
import { listVersions } from '../../store/skills/read-skills.js'
import type { Operation } from '../operation.js'
import { fittingContents, presentCard, presentMove } from './present-card.js'

export const listSkillVersions: Operation<'listSkillVersions'> = async (context, principal, { params, query }) => {
  const { include_content: withContent } = query
  const list = { tenant: principal.tenantId, operation: 'listSkillVersions', subject: params.slug }
  const page = readPage<number>(context.cursorSecret, list, query)
  const { rows, moves } = await context.store.read(principal, async (reader) => {
    const rows = await listVersions(reader, params.slug, page.keyset)
    if (!rows) throw new NotFoundError('Skill')
    const numbers = rows.map(({ version }) => version)
    return { rows, moves: await listMovesOf(reader, rows[0]?.skillId ?? null, numbers) }
  })
  const fitting = withContent ? rows.slice(0, fittingContents(rows)) : rows
  const hasMore = rows.length > Math.min(query.limit, fitting.length)
  return page.answer(fitting, {
    positionOf: ({ version }) => version,
    present: (row) => ({ ...presentCard(row, { withContent }), history: moves.get(row.version)!.map(presentMove) }),
    hasMore,
  })
}
