import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { createMetrics } from '../../runtime/metrics.js'
import { ALERTS } from '../../scripts/monitoring/alerts.js'
import { dashboard } from '../../scripts/monitoring/dashboard.js'
import { monitoringFiles } from '../../scripts/monitoring/generate.js'

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The labels of each metric of docs/metrics.md, which test/scaled/metrics.test.ts compares with running processes. */
const LABELS: ReadonlyMap<string, readonly string[]> = new Map(
  [...textOf('docs/metrics.md').matchAll(/^\| `(cairn_\w+)` \| \w+ \|([^|]*)\|/gm)].map(([, name, labels]) => [
    name!,
    labels!.split(',').map((label) => label.trim()),
  ]),
)

/** Returns what is wrong with the names of an expression. */
function faultsOf(expr: string, types: ReadonlyMap<string, string>): string[] {
  const bare = expr.replace(/"[^"]*"/g, '""')
  const named = [...bare.matchAll(/\b(cairn_\w+)(?:\{([^}]*)\})?/g)].map(([, series, matchers = '']) => {
    const base = series!.replace(/_(bucket|sum|count)$/, '')
    const metric = types.get(base) === 'histogram' && series !== base ? base : series!
    return { metric, isSeries: types.has(metric) && (types.get(metric) !== 'histogram' || series !== metric), matchers }
  })
  const labels = named.flatMap(({ metric }) => LABELS.get(metric) ?? [])
  const used = [
    ...named.flatMap(({ matchers }) => [...matchers.matchAll(/(\w+)\s*[=!]/g)]),
    ...[...bare.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) => [...list!.matchAll(/(\w+)/g)]),
  ].map(([, label]) => label!)
  return [
    ...(named.length === 0 ? [`${expr} names no metric`] : []),
    ...named.filter(({ isSeries }) => !isSeries).map(({ metric }) => `${metric} does not exist`),
    ...used.filter((label) => ![...labels, 'le', 'instance'].includes(label)).map((label) => `${expr}: no ${label}`),
  ]
}

describe('deploy/monitoring', () => {
  const { panels } = dashboard() as { panels: { readonly targets?: readonly { readonly expr: string }[] }[] }
  const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  let types: ReadonlyMap<string, string>
  before(async () => {
    const declared = (await createMetrics().text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)
    types = new Map([...declared].map(([, name, type]) => [name!, type!]))
  })

  it('names only metrics and labels that exist', () => {
    expect([...ALERTS.map(({ expr }) => expr), ...shown].flatMap((expr) => faultsOf(expr, types))).to.deep.equal([])
    expect(faultsOf('max by (tenant) (cairn_request_seconds) + cairn_gone{state="x"}', types)).to.deep.equal([
      'cairn_request_seconds does not exist',
      'cairn_gone does not exist',
      'max by (tenant) (cairn_request_seconds) + cairn_gone{state="x"}: no state',
      'max by (tenant) (cairn_request_seconds) + cairn_gone{state="x"}: no tenant',
    ])
  })

  it('shows every metric of docs/metrics.md on the dashboard', () => {
    expect(LABELS.size).to.be.greaterThan(40)
    const isShown = (name: string) => shown.some((expr) => new RegExp(`\\b${name}(_bucket|_count)?\\b`).test(expr))
    expect([...LABELS.keys()].filter((name) => !isShown(name))).to.deep.equal([])
  })

  it('has a paragraph in docs/operations.md for every alert, and none for others', () => {
    const paragraphs = [...textOf('docs/operations.md').matchAll(/^### (Cairn\w+)\n\n[A-Z][^\n]{20}/gm)]
    expect(paragraphs.map(([, name]) => name)).to.deep.equal(ALERTS.map(({ name }) => name))
  })

  it('labels its summaries as its expressions are', () => {
    for (const { expr, summary } of ALERTS)
      for (const [, label] of summary.matchAll(/\$labels\.(\w+)/g))
        expect(expr).to.match(new RegExp(`by \\(${label}\\)`))
  })

  it('is as `npm run generate` writes it', () => {
    for (const [name, text] of Object.entries(monitoringFiles()))
      expect(textOf(`deploy/monitoring/${name}`), name).to.equal(text)
  })
})
