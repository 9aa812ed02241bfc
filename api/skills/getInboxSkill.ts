import { authorOf } from '../../domain/skills/author-record.js'
import { changedFiles, diffOf, LARGEST_SHOWN_FILE, MOST_SHOWN_FILES } from '../../domain/skills/diff.js'
import { NotFoundError } from '../../runtime/errors.js'
import { readRecord } from '../../store/skills/author-records.js'
import { readBlobTexts } from '../../store/skills/files.js'
import { listMoves } from '../../store/skills/history.js'
import { readPlace } from '../../store/skills/inbox-place.js'
import { findSkill, listServing } from '../../store/skills/read-skills.js'
import type { Operation } from '../operation.js'
import { presentCard, presentMove } from './present-card.js'
import { presentPriority } from './present-priority.js'

export const getInboxSkill: Operation<'getInboxSkill'> = async (context, principal, { params }) => {
  const { waiting, active, serving, moves, texts, stored, record } = await context.store.read(
    principal,
    async (reader) => {
      const skill = await findSkill(reader, params.slug)
      if (!skill?.waiting) throw new NotFoundError('Skill')
      const { waiting, active } = skill
      const changed = active === null ? [] : changedFiles(active, waiting).slice(0, MOST_SHOWN_FILES)
      return {
        ...{ waiting, active, texts: await readBlobTexts(reader, skill.id, changed, LARGEST_SHOWN_FILE) },
        serving: await listServing(reader, waiting.contentHash),
        moves: await listMoves(reader, skill.id),
        stored: await readPlace(reader, waiting),
        record: await readRecord(reader, authorOf(waiting)),
      }
    },
  )
  return {
    status: 200,
    body: {
      ...presentCard(waiting, { withContent: true }),
      priority: presentPriority(waiting, stored, context.clock.now()),
      author_record: record,
      content: waiting.content,
      active: active && { version: active.version, content_hash: active.contentHash },
      diff: active && diffOf(active, waiting, texts),
      also_active: serving.filter((docId) => docId !== params.slug),
      history: moves.map(presentMove),
    },
  }
}
