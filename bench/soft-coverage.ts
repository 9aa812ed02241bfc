import type { AnalysedText, Candidate, PieceSimilarity, QueryWord } from '../domain/ranking/candidate.js'
import { hashTerms } from '../domain/ranking/hashed-terms.js'
import { poolStatistics } from '../domain/ranking/lexical.js'
import { NEIGHBOUR_OFFSETS, poolOf } from '../domain/ranking/pool.js'
import { softCoverage } from '../domain/ranking/soft-coverage.js'
import { runToEnd } from '../domain/yielding.js'
import { analyse, groupOf } from '../domain/text/analysis.js'
import { contentWords } from '../domain/text/query-words.js'
import { createPieceSpace, type PieceSpace } from '../models/piece-space.js'
import { englishTable } from '../models/piece-table.js'
import { createFleetCorpus } from './fleet-memories.js'
import { createNoise } from './noise.js'
import { ratioOf, timesRow } from './samples.js'

const MEMORIES = 200
const QUESTIONS = 500
/** Number of memories from which each question draws 200. */
const CORPUS = 5_000
const BUDGET_MS = 2

/**
 * Measures soft coverage of one query over 200 memories, each with its neighbours, in the answering thread, beside the
 * same late interaction with the cosines of each question computed again. The first pass meets words for the first time, the second
 * knows them.
 */
export async function benchSoftCoverage(): Promise<void> {
  const space = await createPieceSpace()
  const corpus = createFleetCorpus(1)
  const candidates = corpus.memories(CORPUS).map(({ content }, i) => candidateOf(content, i, space))
  const questions = corpus.questions(QUESTIONS).map((text) => queryWordsOf(text, space))
  const plain = await plainSpace()
  const noise = createNoise()
  const first = questions.map((words, i) => timed(words, drawFrom(candidates, i), space))
  const known: number[] = []
  const anew: number[] = []
  for (const [i, words] of questions.entries()) {
    if (i % 50 === 0) noise.sample()
    const pool = drawFrom(candidates, i)
    known.push(timed(words, pool, space))
    if (i % 10 === 0) anew.push(timed(words, pool, plain))
  }
  console.log(`soft coverage of ${MEMORIES} memories (budget ${BUDGET_MS} ms at p50)`)
  console.table({
    'words met first': timesRow(first),
    'words known': timesRow(known),
    'computed again': timesRow(anew),
  })
  const { p50, p95 } = ratioOf(known, anew)
  console.log(`known / computed again: p50 ${p50}, p95 ${p95}`)
  console.log('noise', noise.summary())
}

function timed(words: readonly QueryWord[], pool: readonly Candidate[], space: PieceSimilarity): number {
  const terms = words.flatMap(({ terms }) => terms)
  const statistics = poolStatistics(
    null,
    pool.map(({ text }) => text),
    terms,
  )
  const placed = poolOf(pool)
  const started = performance.now()
  runToEnd(softCoverage(words, placed, statistics, space, new Float64Array(pool.length)))
  return performance.now() - started
}

/** Returns 200 memories in runs of five, others for each question. */
function drawFrom(candidates: readonly Candidate[], question: number): Candidate[] {
  const pool: Candidate[] = []
  for (let run = 0; run < MEMORIES / RUN; run++) {
    const start = ((question * 37 + run * 101) % (CORPUS / RUN)) * RUN
    pool.push(...candidates.slice(start, start + RUN))
  }
  return pool
}

const RUN = 5

function candidateOf(content: string, position: number, space: PieceSpace): Candidate {
  const terms = analyse(content, 'en')
  const text: AnalysedText = {
    terms: hashTerms(terms),
    length: terms.length,
    vector: null,
    pieces: space.piecesOf(content),
    author: null,
    stated: 1,
    mentionsTime: false,
    textKey: String(position).padStart(16),
    at: 0,
    until: null,
  }
  const inRun = position % RUN
  const isInRun = (offset: number) => inRun + offset >= 0 && inRun + offset < RUN
  return {
    id: String(position),
    memoryType: 'fact',
    status: 'active',
    weight: 0.5,
    runId: null,
    createdAt: 0,
    recallCount: 0,
    entities: 0,
    hop: 0,
    neighbours: NEIGHBOUR_OFFSETS.map((offset) => (isInRun(offset) ? String(position + offset) : null)),
    text,
  }
}

function queryWordsOf(text: string, space: PieceSpace): QueryWord[] {
  return contentWords(text, new Set()).map((word) => ({
    word,
    terms: groupOf(word, 'en') ?? [word],
    pieces: space.piecesOf(word),
  }))
}

/** Returns cosines of rows of floats, without any cache. */
async function plainSpace(): Promise<PieceSimilarity> {
  const { matrix, dimensions } = await englishTable()
  const floats = Float32Array.from(matrix)
  const dot = (a: number, b: number) => {
    let sum = 0
    for (let i = 0; i < dimensions; i++) sum += floats[a * dimensions + i]! * floats[b * dimensions + i]!
    return sum
  }
  const cosine = (a: number, b: number) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b) || 1)
  return {
    similaritiesTo: (piece, others) => Float32Array.from(others, (other) => Math.max(0, cosine(piece, other))),
  }
}
