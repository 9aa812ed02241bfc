import Table from 'cli-table3'
import { join } from 'node:path'
import { judgeFolder, type JudgedSkill } from './real.js'

const SIZES = [2_000, 5_000, 10_000, 20_000, 30_000, 40_001] as const

/**
 * Prints what the scan says of published skills: `benign/` and `malicious/` in the folder, each with a folder for each group or family.
 * The texts are others' and are kept out of the repository.
 */
export function benchPublished(root: string): void {
  const harmless = judgeFolder(join(root, 'benign'))
  const attacks = judgeFolder(join(root, 'malicious'))
  for (const [name, skills] of [
    ['harmless', harmless],
    ['attacks', attacks],
  ] as const) {
    printShares(`${name} by group`, skills, ({ group }) => group)
    printShares(`${name} by size`, skills, ({ bytes }) => `under ${SIZES.find((size) => bytes < size) ?? bytes} bytes`)
    printCodes(name, skills)
  }
  printTimes([...harmless, ...attacks])
}

function printShares(title: string, skills: readonly JudgedSkill[], groupOf: (skill: JudgedSkill) => string): void {
  const table = new Table({ head: [title, 'skills', 'quarantined %', 'flagged %'], style: { head: [], border: [] } })
  const groups = [...new Set(skills.map(groupOf))].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  for (const group of groups)
    table.push(
      row(
        group,
        skills.filter((skill) => groupOf(skill) === group),
      ),
    )
  table.push(row('all', skills))
  console.log(table.toString())
}

function row(name: string, skills: readonly JudgedSkill[]): string[] {
  const share = (verdict: string) =>
    ((100 * skills.filter(({ report }) => report.verdict === verdict).length) / Math.max(1, skills.length)).toFixed(1)
  return [name, String(skills.length), share('quarantined'), share('flagged')]
}

function printCodes(name: string, skills: readonly JudgedSkill[]): void {
  const counts = new Map<string, number>()
  for (const { report } of skills)
    for (const key of new Set(report.findings.map(({ severity, code }) => `${severity} ${code}`)))
      counts.set(key, (counts.get(key) ?? 0) + 1)
  const found = [...counts].filter(([key]) => !key.startsWith('info')).sort((a, b) => b[1] - a[1])
  console.log(`${name} by finding: ${found.map(([key, count]) => `${key} ${count}`).join(', ')}`)
}

function printTimes(skills: readonly JudgedSkill[]): void {
  const table = new Table({ head: ['bytes', 'skills', 'CPU ms p50', 'p95', 'max'], style: { head: [], border: [] } })
  for (const [i, size] of SIZES.entries()) {
    const from = SIZES[i - 1] ?? 0
    const times = skills.filter(({ bytes }) => bytes >= from && bytes < size).map(({ cpu }) => cpu)
    times.sort((a, b) => a - b)
    const at = (share: number) => (times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0).toFixed(0)
    table.push([`${from} to ${size}`, String(times.length), at(0.5), at(0.95), at(1)])
  }
  console.log(table.toString())
}
