import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { endingOf, readEnding } from '../../../domain/forge/ending.js'

const SUCCESSES = `
  fixed the timeout | no longer fails | Deployed and verified. | The deploy failed, but after a retry it works now. | It failed until I raised the timeout. | No errors in the log
  No rollback needed, all green. | could not find any errors | resolved the outage | stopped crashing | restored from backup after the disk failed | Works again after two failed attempts
  Zero failures in 30 minutes | never failed again | did not fail | The hotfix resolved the error | Approved by legal | Ticket resolved. | Settlement reached. | Row counts match.
  The error is gone. | Errors stopped. | Issue no longer reproduces. | User can log in now. | Worked on the first try. | status=ok | Result: success | Ledger balances to the cent.
  Assay passed QC | Sample released to the client. | No contamination detected. | Calibration within tolerance. | Motion granted by the judge. | Rollout at 100%, no alerts.
  erfolgreich abgeschlossen | Problème résolu | Tarea completada | Kunde bestätigt, Ticket geschlossen | Läuft wieder | hat geklappt | Salió bien. | Terminado, guardado en el congelador | Ya funciona otra vez
  exit=0 all checks green | exit code 0 | Tests: passed=12 failed=0 | All thanks, closing. | The two replicates agree`
const FAILURES = `
  could not verify | rolled back the change | rolled the release back | gave up | tests do not pass | Could not fix the crash | Nothing works. | The customer is unhappy | deployment did not succeed
  Failed to restore the backup | not approved | Had to roll everything back | still failing | does not balance | Ticket closed as unresolved | Did not resolve the error | Did not help.
  Couldn't get it to work | Escalated to tier 2 | sample rejected by QC | No luck | Backfill failed, partition restored from the copy. | The fix made things worse. | Job ran out of memory.
  Stopped here without a result. | Upgrade failed, reverted. | Tests failing, giving up. | Motion denied. | Culture was contaminated and had to be discarded. | Payment bounced. | Ticket reopened.
  hat nicht funktioniert | fehlgeschlagen | Das klappt leider nicht | Ging nicht | Blieb ohne Erfolg | Keine Lösung gefunden | No funcionó | Sin señal, se descarta | Contaminado, hay que repetir
  exit=1 | exit code 137 | Tests: passed=11 failed=1 | It didn't work out | No solution found | The certificate expired | Service is down | Lost the samples`
const NEITHER = `
  will verify tomorrow | Should be fixed by Monday | Is it fixed? | Waiting for approval | OK, drained the node | Passed the data on to payroll | Asked whether it works
  Rehearsed the rollback. | If it fails, call Ana | Read the manual of the pump | Expired snapshots of last week | Turned down the batch size | Booked out the lost article | Closing the valve of the pump`

const casesOf = (list: string) =>
  list
    .split(/[|\n]/)
    .map((text) => text.trim())
    .filter(Boolean)

describe('how a sentence says that work ended', () => {
  const tables = [
    ['success', 1, SUCCESSES],
    ['failure', -1, FAILURES],
    ['nothing', 0, NEITHER],
  ] as const
  for (const [what, polarity, list] of tables)
    for (const text of casesOf(list))
      it(`is ${what}: ${text}`, () => {
        expect(endingOf(text)).to.equal(polarity)
      })

  const byLanguage = parse(readFileSync(new URL('endings-by-language.yaml', import.meta.url), 'utf8')) as Record<
    string,
    Record<(typeof tables)[number][0], readonly string[]>
  >
  for (const [language, sentences] of Object.entries(byLanguage))
    for (const [what, polarity] of tables)
      for (const text of sentences[what])
        it(`(${language}) is ${what}: ${text}`, () => {
          expect(endingOf(text, language)).to.equal(polarity)
        })

  it('is read by the words of the language, and of no other', () => {
    expect(endingOf('O serviço foi restaurado', 'pt')).to.equal(1)
    expect(endingOf('O serviço foi restaurado', 'en')).to.equal(0)
  })

  it('is firm when it speaks of the work as a whole', () => {
    expect(readEnding('Rotation completed.').isFirm).to.equal(true)
    expect(readEnding('Upgrade failed.').isFirm).to.equal(true)
    expect(readEnding('部署成功。').isFirm).to.equal(true)
    expect(readEnding('Tutto completato.', 'it').isFirm).to.equal(true)
    expect(readEnding('La stampante è pronta.', 'it').isFirm).to.equal(false)
    expect(readEnding('电话坏了。').isFirm).to.equal(false)
    expect(readEnding('The phones were down.').isFirm).to.equal(false)
  })

  it('is read in linear time from any text', () => {
    for (const atom of [
      'not ',
      'rolled a ',
      'can x ',
      'fixed the ',
      'in ',
      'no ',
      ', ',
      'without a ',
      '没',
      '成功',
      '修复失',
      'で',
      '지 ',
      'ne pas ',
    ])
      for (const language of ['en', 'fr', 'pt']) expect(() => endingOf(atom.repeat(10_000), language)).not.to.throw()
  })
})
