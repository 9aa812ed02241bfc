import { Registry, collectDefaultMetrics } from 'prom-client'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { instrumentsIn } from './instruments.js'
import { listen, metricsAddress } from './listening.js'
import { createOperatorMetrics, type OperatorMetrics } from './operator-metrics.js'
import { createRequestMetrics, type RequestMetrics } from './request-metrics.js'
import { withTimeout } from './clock.js'

interface PoolUse {
  readonly total: number
  readonly idle: number
  readonly waiting: number
}

export interface IndexingState {
  readonly pending: number
  /** Null when nothing is pending. */
  readonly oldestAgeS: number | null
  readonly failed: number
}

/** The metrics of one process, in a registry of its own: several may live in one process. All durations are seconds. */
export interface Metrics extends OperatorMetrics, RequestMetrics {
  /** Observes a completion of the language model; `outcome` is ok or the kind of its failure. */
  completion(outcome: string, seconds: number, tokens: { readonly input: number; readonly output: number }): void
  /** Observes a batch of the dirty set that was indexed. */
  batchIndexed(count: number, seconds: number): void
  indexing(state: IndexingState): void
  /** Sets the documents of the serving index, and the rows that it should hold, by corpus (memories or documents). */
  indexCounts(counts: Readonly<Record<string, { readonly documents: number; readonly rows: number }>>): void
  /** Sets what the language model has yet to read; null where it reads nothing. */
  enrichment(state: Omit<IndexingState, 'failed'> | null): void
  /** Reports the skills that wait for their scan. */
  unscanned(state: Omit<IndexingState, 'failed'>): void
  /** Counts a verdict on a skill, `seconds` after the skill was written. */
  scanned(verdict: 'clean' | 'flagged' | 'quarantined' | 'failed', seconds: number): void
  /** Counts an answer of the language model about the flagged words of a skill, or that there was none it could give. */
  opined(outcome: 'given' | 'abstained' | 'retried' | 'failed'): void
  /** Counts a memory that was read; `outcome` is the state of its enrichment, or `retried`. */
  enriched(outcome: string): void
  /** Counts the tokens for reading memories and flagged words, which `completion` counts too. */
  enrichmentTokens(tokens: { readonly input: number; readonly output: number }): void
  pool(name: string, use: PoolUse): void
  /**
   * Registers a collector, called before every scrape to set gauges; one that fails or takes over 4 s is counted and
   * skipped.
   */
  onScrape(collect: () => void | Promise<void>): void
  /** Returns the metrics in the exposition format of Prometheus. */
  text(): Promise<string>
  readonly contentType: string
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'cairn_' })
  const operator = createOperatorMetrics(registers)
  const instruments = createInstruments(registers)
  const collectors: (() => void | Promise<void>)[] = []

  async function collect(): Promise<void> {
    const results = await Promise.allSettled(
      collectors.map((collector) => withTimeout(4_000, Promise.resolve().then(collector))),
    )
    instruments.scrapeFailures.inc(results.filter((result) => result.status === 'rejected').length)
  }

  return {
    ...operator,
    ...createRequestMetrics(registers, (reason) => operator.outage('search', reason)),
    completion(outcome, seconds, { input, output }) {
      instruments.completions.observe({ outcome }, seconds)
      instruments.tokens.inc({ direction: 'input' }, input)
      instruments.tokens.inc({ direction: 'output' }, output)
    },
    batchIndexed(count, seconds) {
      instruments.batches.observe(seconds)
      instruments.indexed.inc(count)
    },
    indexing({ pending, oldestAgeS, failed }) {
      instruments.pending.set(pending)
      instruments.lag.set(oldestAgeS ?? 0)
      instruments.failed.set(failed)
    },
    indexCounts(counts) {
      for (const [corpus, { documents, rows }] of Object.entries(counts)) {
        instruments.documents.set({ corpus }, documents)
        instruments.rows.set({ corpus }, rows)
      }
    },
    enrichment(state) {
      instruments.enriches.set(state === null ? 0 : 1)
      instruments.unread.set(state?.pending ?? 0)
      instruments.unreadLag.set(state?.oldestAgeS ?? 0)
    },
    unscanned({ pending, oldestAgeS }) {
      instruments.unscanned.set(pending)
      instruments.scanLag.set(oldestAgeS ?? 0)
    },
    scanned: (verdict, seconds) => instruments.scanned.observe({ verdict }, seconds),
    opined: (outcome) => instruments.opined.inc({ outcome }),
    enriched: (outcome) => instruments.enriched.inc({ outcome }),
    enrichmentTokens({ input, output }) {
      instruments.enrichmentTokens.inc({ direction: 'input' }, input)
      instruments.enrichmentTokens.inc({ direction: 'output' }, output)
    },
    pool(pool, { total, idle, waiting }) {
      instruments.connections.set({ pool, state: 'used' }, total - idle)
      instruments.connections.set({ pool, state: 'idle' }, idle)
      instruments.waiting.set({ pool }, waiting)
    },
    onScrape: (collector) => void collectors.push(collector),
    async text() {
      await collect()
      return registry.metrics()
    },
    contentType: registry.contentType,
  }
}

function createInstruments(registers: Registry[]) {
  const { histogram, counter, gauge } = instrumentsIn(registers)
  return {
    scrapeFailures: counter('cairn_scrape_failures_total', 'Gauges that could not be read for a scrape.'),
    completions: histogram('cairn_llm_seconds', 'Completions of the language model.', ['outcome']),
    tokens: counter('cairn_llm_tokens_total', 'Tokens that the language model took and gave.', ['direction']),
    batches: histogram('cairn_index_batch_seconds', 'Batches that were indexed.'),
    indexed: counter('cairn_indexed_total', 'Changes that were indexed.'),
    pending: gauge('cairn_index_pending', 'Rows that are not indexed yet.'),
    lag: gauge('cairn_index_lag_seconds', 'Age of the oldest row that is not indexed yet.'),
    failed: gauge('cairn_index_failed', 'Rows that failed for good and wait for an operator.'),
    documents: gauge('cairn_index_documents', 'Documents of the serving index, at the last count.', ['corpus']),
    rows: gauge('cairn_index_rows', 'Rows that the serving index should hold, at the last count.', ['corpus']),
    enriches: gauge('cairn_enrichment_on', '1 where a language model reads memories, 0 where none does.'),
    unread: gauge('cairn_enrichment_waiting', 'Memories that the language model has yet to read.'),
    unreadLag: gauge('cairn_enrichment_lag_seconds', 'Age of the oldest memory that it has yet to read.'),
    unscanned: gauge('cairn_skill_scans_waiting', 'Skills that wait for their scan.'),
    scanLag: gauge('cairn_skill_scan_lag_seconds', 'Age of the oldest skill that waits for its scan.'),
    scanned: histogram('cairn_skill_verdict_seconds', 'Time from the write of a skill to its verdict.', ['verdict']),
    opined: counter('cairn_skill_opinions_total', 'Answers of the language model about flagged skills.', ['outcome']),
    enriched: counter('cairn_enriched_total', 'Memories that the language model has read.', ['outcome']),
    enrichmentTokens: counter('cairn_enrichment_tokens_total', 'Tokens that reading memories and flagged words cost.', [
      'direction',
    ]),
    connections: gauge('cairn_pool_connections', 'Connections to PostgreSQL.', ['pool', 'state']),
    waiting: gauge('cairn_pool_waiting', 'Callers that wait for a connection.', ['pool']),
  }
}

interface MetricsServer {
  readonly port: number
  stop(): Promise<void>
}

/** Serves GET /metrics; port 0 takes a free one. Throws ConfigError when the port is taken. */
export async function startMetricsServer(
  { host, port }: { readonly host: string; readonly port: number },
  metrics: Metrics,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    metrics.text().then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await listen(server, metricsAddress({ host, port }))
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
