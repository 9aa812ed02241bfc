import { expect } from 'chai'
import { describe as described } from '../../../domain/forge/describe.js'
import { readSkillDraft } from '../../../domain/skills/read-draft.js'

const SIZES = { description_max_bytes: 160, body_max_bytes: 1_000 }
/** Terms in quotation marks, which scripts without spaces write as one word. */
const LONG = {
  Chinese: '数据库备份完成之后逐个节点重新启动并且检查集群的健康状态直到所有分片都恢复',
  Thai: 'สำรองฐานข้อมูลแล้วรีสตาร์ทเครื่องแม่ข่ายทีละเครื่องและตรวจสอบสถานะ',
  emoji: '🇩🇪👩‍👩‍👧‍👦👍🏽',
  'one letter': 'ß',
  'words of emoji': 'größe🚀🚀🚀',
}

describe('the names of a skill of the Forge', () => {
  for (const [script, subject] of Object.entries(LONG))
    it(`are no longer than a written one may have: ${script}`, () => {
      const subjects = [1, 2, 3].map((times) => subject.repeat(200).slice(times, 200))
      const { name, slug, domain, goal, description, summary, tags } = described(
        { goal: null, subjects: [...subjects, '备份'], steps: subjects, fingerprint: 'fp' },
        SIZES.description_max_bytes,
      )
      const texts = { name, slug, domain, goal, description, summary, tags, content: 'Do it.' }
      expect(readSkillDraft({ ...texts, kind: 'create', source: 'forge' }, SIZES)).to.have.property('texts')
      expect(tags).to.include('备份')
    })
})
