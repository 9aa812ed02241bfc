/** Writes deploy/monitoring/ from alerts.ts and dashboard.ts: rules for Prometheus and a dashboard for Grafana. */
import { writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { stringify } from 'yaml'
import { ALERTS } from './alerts.js'
import { dashboard } from './dashboard.js'

const FOLDER = new URL('../../deploy/monitoring/', import.meta.url)

/** Returns the texts of the files by their names. */
export function monitoringFiles(): Readonly<Record<string, string>> {
  const rules = ALERTS.map(({ name, expr, for: duration, severity, summary }) => ({
    alert: name,
    expr,
    for: duration,
    labels: { severity },
    annotations: {
      summary,
      description: `docs/operations.md#${name.toLowerCase()} says what it means and what to do.`,
    },
  }))
  const head = '# Written by `npm run generate` from scripts/monitoring/alerts.ts.\n'
  return {
    'alerts.yaml': head + stringify({ groups: [{ name: 'cairn', rules }] }, { lineWidth: 0 }),
    'dashboard.json': `${JSON.stringify(dashboard(), null, 2)}\n`,
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for (const [name, text] of Object.entries(monitoringFiles())) await writeFile(new URL(name, FOLDER), text)
