import { expect } from 'chai'
import fc from 'fast-check'
import { describe as described, freeSlug } from '../../../domain/forge/describe.js'
import { cutAtWord } from '../../../domain/forge/wording.js'

const SLUG = /^[a-z0-9][a-z0-9._-]{0,99}$/

describe('cutAtWord', () => {
  it('cuts after a word, within so many UTF-8 bytes', () => {
    expect(cutAtWord('rotate the signing key', 100)).to.equal('rotate the signing key')
    expect(cutAtWord('rotate the signing key', 15)).to.equal('rotate the…')
    expect(cutAtWord('größere Übergröße', 12)).to.equal('größere…')
    expect(cutAtWord('x'.repeat(50), 10)).to.equal(`${'x'.repeat(7)}…`)
  })

  it('cuts within what stands without spaces, as far as it reaches', () => {
    expect(cutAtWord('备份 MySQL 数据库并迁移到新的集群', 30)).to.equal('备份 MySQL 数据库并…')
    expect(cutAtWord('Redis 数据库并迁移到新的集群然后重启', 30)).to.equal('Redis 数据库并迁移到…')
  })

  it('never has more bytes, nor half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 4, max: 60 }), (text, bytes) => {
        const cut = cutAtWord(text, bytes)
        expect(Buffer.byteLength(cut)).to.be.at.most(Math.max(bytes, 0))
        expect(/\p{Cs}/u.test(cut) && !/\p{Cs}/u.test(text)).to.equal(false)
      }),
    )
  })
})

describe('the description of a skill', () => {
  const given = {
    goal: 'rotate the signing key',
    subjects: ['keyring', 'JWKS', 'issuer'],
    steps: ['Created a key'],
    fingerprint: 'fp:v1:00',
  }

  it('is a trigger with the goal and what it is about', () => {
    expect(described(given, 160)).to.deep.equal({
      name: 'Rotate the signing key',
      slug: 'keyring-rotate-signing-key',
      domain: 'keyring',
      goal: 'rotate the signing key',
      description: 'When the work is: rotate the signing key (keyring, JWKS, issuer)',
      summary: 'When the work is: rotate the signing key (keyring, JWKS, issuer): Created a key',
      tags: ['keyring', 'jwks', 'issuer'],
    })
  })

  it('names what the runs share where none announces a goal', () => {
    expect(described({ ...given, goal: null }, 160).description).to.equal(
      'When the work involves keyring, JWKS and issuer',
    )
  })

  it('says a word once in the slug, and spells identifiers as they are', () => {
    const { name, slug } = described({ ...given, goal: null, subjects: ['pg_promote', 'lag', 'pgbouncer'] }, 160)
    expect([name, slug]).to.deep.equal(['pg_promote, lag and pgbouncer', 'pg-promote-lag-pgbouncer'])
  })

  const elsewhere = [
    ['数据库迁移', ['备份', '数据库'], 'beifen-shuju-ku-qianyi', ['备份', '数据库']],
    ['ключ подписи', ['кластер'], 'klaster-klyuch-podpisi', ['кластер']],
    ['größere Tabelle', ['Übersicht'], 'ubersicht-grossere-tabelle', ['ubersicht']],
    ['서명 키 교체', ['키'], 'ki-seomyeong-gyoche', ['키']],
  ] as const
  for (const [goal, subjects, slug, tags] of elsewhere)
    it(`writes a slug in Latin letters and tags as they are: ${goal}`, () =>
      expect(described({ ...given, goal, subjects }, 160)).to.deep.include({ slug, tags }))

  it('keeps to its bytes and to the form of a slug, whatever the words', () => {
    const words = fc.string({ unit: 'binary', minLength: 1, maxLength: 80 })
    fc.assert(
      fc.property(
        fc.option(words),
        fc.array(words, { maxLength: 4 }),
        fc.integer({ min: 20, max: 200 }),
        (goal, subjects, bytes) => {
          const { description, slug } = described({ ...given, goal, subjects }, bytes)
          expect(Buffer.byteLength(description)).to.be.at.most(bytes)
          expect(description).to.match(/^When/)
          expect(slug).to.match(SLUG)
        },
      ),
    )
  })

  it('gives a slug that is taken a suffix, the same each time', () => {
    const taken = new Set(['a'])
    const slug = freeSlug('a', 'fp:v1:00', (one) => taken.has(one))
    expect(slug).to.match(/^a-[0-9a-f]{6}$/)
    expect(freeSlug('a', 'fp:v1:00', (one) => taken.has(one))).to.equal(slug)
    expect(freeSlug('a', 'fp:v1:00', (one) => taken.has(one) || one === slug)).to.match(/^a-[0-9a-f]{10}$/)
    expect(freeSlug('b', 'fp:v1:00', (one) => taken.has(one))).to.equal('b')
  })
})
