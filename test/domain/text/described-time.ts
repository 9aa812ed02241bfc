import type { TimeReference } from '../../../domain/text/time-reference.js'

/** Describes a time as `2026-5-12`, with `*` for what is not named, or as `2026-05-04 to 2026-05-11`. */
export function describeTime(time: TimeReference): string {
  if (time.kind === 'date') return [time.year ?? '*', time.month ?? '*', time.day ?? '*'].join('-')
  return [time.start, time.end]
    .map((at) => (Number.isFinite(at) ? new Date(at).toISOString().slice(0, 10) : '*'))
    .join(' to ')
}
