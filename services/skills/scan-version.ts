import type { ScanReport } from '../../domain/scan/report.js'
import { locatedReport } from '../../domain/skills/located-report.js'
import { scannableOf, type SkillFileText } from '../../domain/skills/scannable.js'
import type { SkillVersion } from '../../domain/skills/skill.js'
import type { SkillScanner } from './skill-scanner.js'

/** Scans a version with its files. Its findings have the places that they have on a disk. Throws what `SkillScanner.scan` throws. */
export async function scanVersion(
  scanner: SkillScanner,
  { version, files }: { readonly version: SkillVersion; readonly files: readonly SkillFileText[] },
  signal?: AbortSignal,
): Promise<ScanReport> {
  return locatedReport(await scanner.scan(scannableOf(version, files), signal), version)
}
