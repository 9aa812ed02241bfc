import { expect } from 'chai'
import { createServer, type AddressInfo } from 'node:net'
import { ConfigError } from '../../runtime/errors.js'
import { createMetrics, startMetricsServer } from '../../runtime/metrics.js'

describe('metrics', () => {
  it('have a registry of their own', async () => {
    const [one, other] = [createMetrics(), createMetrics()]
    one.request('recall', 200, 0.01)
    expect(await one.text()).to.contain('cairn_request_seconds_count{operation="recall",status="200"} 1')
    expect(await other.text()).not.to.contain('operation="recall"')
  })

  it('count every part that a degraded recall lacked', async () => {
    const metrics = createMetrics()
    metrics.recall(0.02, 'vector,pending')
    metrics.recall(0.02, null)
    const text = await metrics.text()
    expect(text).to.contain('cairn_recall_degraded_total{missing="vector"} 1')
    expect(text).to.contain('cairn_recall_degraded_total{missing="pending"} 1')
    expect(text).to.contain('cairn_recall_seconds_count 2')
  })

  it('count completions by their outcome, and tokens by their direction', async () => {
    const metrics = createMetrics()
    metrics.completion('ok', 1.2, { input: 100, output: 20 })
    metrics.completion('unfit', 0.8, { input: 50, output: 10 })
    const text = await metrics.text()
    expect(text).to.contain('cairn_llm_seconds_count{outcome="unfit"} 1')
    expect(text).to.contain('cairn_llm_tokens_total{direction="input"} 150')
    expect(text).to.contain('cairn_llm_tokens_total{direction="output"} 30')
  })

  it('show the dirty set, with a lag of 0 when it is empty', async () => {
    const metrics = createMetrics()
    metrics.indexing({ pending: 3, oldestAgeS: 1.5, failed: 1 })
    expect(await metrics.text()).to.match(
      /cairn_index_pending 3\n[^]*cairn_index_lag_seconds 1.5\n[^]*cairn_index_failed 1/,
    )
    metrics.indexing({ pending: 0, oldestAgeS: null, failed: 0 })
    expect(await metrics.text()).to.contain('cairn_index_lag_seconds 0')
  })

  it('can be scraped although a gauge cannot be read', async () => {
    const metrics = createMetrics()
    metrics.onScrape(() => Promise.reject(new Error('away')))
    metrics.onScrape(() => metrics.pool('app', { total: 3, idle: 1, waiting: 2 }))
    const text = await metrics.text()
    expect(text).to.contain('cairn_scrape_failures_total 1')
    expect(text).to.contain('cairn_pool_connections{pool="app",state="used"} 2')
    expect(text).to.contain('cairn_pool_waiting{pool="app"} 2')
  })

  it('are served at /metrics and nowhere else', async () => {
    const server = await startMetricsServer({ host: '127.0.0.1', port: 0 }, createMetrics())
    try {
      const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`)
      expect(answer.headers.get('content-type')).to.match(/^text\/plain/)
      expect(await answer.text()).to.contain('cairn_process_cpu_seconds_total')
      expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).to.equal(404)
      expect((await fetch(`http://127.0.0.1:${server.port}/metrics`, { method: 'POST' })).status).to.equal(404)
    } finally {
      await server.stop()
    }
  })

  it('name METRICS_PORT when the port is taken', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as AddressInfo
    try {
      const error = await startMetricsServer({ host: '127.0.0.1', port }, createMetrics()).catch((e: unknown) => e)
      expect(error).to.be.instanceOf(ConfigError)
      expect((error as ConfigError).variable).to.equal('METRICS_PORT')
    } finally {
      taken.close()
    }
  })
})
