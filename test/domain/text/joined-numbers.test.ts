import { expect } from 'chai'
import { analyse } from '../../../domain/text/analysis.js'
import * as joining from '../../../domain/text/joined-numbers.js'

const joinedNumbers = (text: string) => joining.joinedNumbers(text).map((joined) => joined.text)

describe('numbers and codes in groups', () => {
  it('are found without their separators', () => {
    for (const [text, ...joined] of [
      ['call +49 (0)170 123-4567 now', '01701234567', '491701234567'],
      ['(0170) 123 4567', '01701234567'],
      ['0170/1234567', '01701234567'],
      ['+1-555-0199-123', '15550199123'],
      ['ISBN 978-3-16-148410-0.', '9783161484100'],
      ['978 3 16 148410 0', '9783161484100'],
      ['4111 1111 1111 1111', '4111111111111111'],
      ['kostet 10.000 Euro', '10000'],
      ['1 000 000 rows', '1000000'],
      ['order PO-2024-00132, CVE-2024-3094.', 'po202400132', 'cve20243094'],
    ])
      expect(joinedNumbers(text!), text).to.deep.equal(joined)
  })

  it('stay apart where they are a date, a time, a version, a decimal or a list', () => {
    for (const text of [
      'at 9:30 on 2026-11-01 10:00',
      '2026-11-01T10:00:00Z',
      '01.11.2026',
      '11/01/2026',
      '1.2.3 and v1.2.3 and 3.14',
      'ubuntu-22.04',
      '2.31.10',
      '0.123',
      '10,000.50',
      '1,2,3,4,5,6,7',
      '10, 20, 30',
      '1 2 3 4 5 6 7 8',
      '2024/2025',
      'in 2024 2025',
      'room 12-14',
      '100-200',
      '12345',
    ])
      expect(joinedNumbers(text), text).to.deep.equal([])
  })

  it('share a term with every other writing of them, and keep those of their groups', () => {
    for (const [one, other] of [
      ['10,000', '10000'],
      ['10.000', '10 000'],
      ['PO-2024-00132', 'PO202400132'],
      ['PO202400132', 'po/2024/00132'],
      ['978-3-16-148410-0', '9783161484100'],
      ['+49 (0)170 123-4567', '01701234567'],
      ['+49 (0)170 123-4567', '+491701234567'],
      ['１０，０００', '10000'],
    ] as const)
      expect(
        analyse(one, 'en').some((term) => analyse(other, 'en').includes(term)),
        `${one} ${other}`,
      ).to.equal(true)
    expect(analyse('10,000 trucks', 'en')).to.deep.equal(['10000', 'truck'])
    expect(analyse('10,000.50', 'en')).to.not.include('10000')
    expect(analyse('10.000 trucks', 'en')).to.include.members(['10.000', '10000', 'truck'])
    expect(analyse('v1.2.3', 'en')).to.not.include.members(['123'])
  })
})
