import { expect } from 'chai'
import { findPersonalData, maskSpans } from '../../../domain/personal-data/find.js'

describe('personal data and secrets', () => {
  const masked = (text: string) => maskSpans(text, findPersonalData(text))

  const found: [text: string, masked: string][] = [
    ['write to ana.b+x@example.co.uk or root@db-1.internal', 'write to [email] or [email]'],
    ['call +49 170 1234567 or (415) 555-2671, 415-555-2671', 'call [phone] or [phone], [phone]'],
    ['since +1 415 555 2671 2026', 'since [phone] 2026'],
    ['phone: 0170 1234567, tel. 030/1234567', 'phone: [phone], tel. [phone]'],
    ['her mobile number is 555 1234 567.', 'her mobile number is [phone].'],
    ['card 4111 1111 1111 1111 or 378282246310005', 'card [credit_card] or [credit_card]'],
    ['to DE89 3704 0044 0532 0130 00, GB82WEST12345698765432.', 'to [iban], [iban].'],
    ['SSN 536-90-4399, CPF 529.982.247-25', 'SSN [national_id], CPF [national_id]'],
    [
      'RSSMRA85T10A562S, 12345678Z, 131052-308T, AB123456C',
      '[national_id], [national_id], [national_id], [national_id]',
    ],
    ['steuer-id 36 574 261 809', 'steuer-id [national_id]'],
    ['AKIAIOSFODNN7EXAMPLE', '[api_key]'],
    ['use ghp_0123456789abcdefghijklmnopqrstuvwxyz here', 'use [api_key] here'],
    ['cairn_abc_0123456789abcdefghijklmno', '[api_key]'],
    ['Authorization: Bearer abcdef0123456789abcdef', 'Authorization: Bearer [access_token]'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U', '[access_token]'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- after', '[private_key] after'],
    ['-----BEGIN PRIVATE KEY-----\nMIIE, and no end', '[private_key]'],
    ['postgres://app:s3cr3t@db.example.com:5432/x', 'postgres://app:[password]@db.example.com:5432/x'],
    ['password=hunter2 and password: "correct horse"', 'password=[password] and password: "[password]"'],
    ['the password is hunter2!', 'the password is [password]'],
    ['{"password": "hunter22", "api_key":"abcd1234abcd1234"}', '{"password": "[password]", "api_key":"[api_key]"}'],
    ['AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY1', 'AWS_SECRET_ACCESS_KEY=[api_key]'],
  ]
  for (const [text, expected] of found)
    it(`are found in ${JSON.stringify(text.slice(0, 60))}`, () => {
      expect(masked(text)).to.equal(expected)
    })

  const clean = [
    'Ana moved the staging database to port 6432 on Tuesday, see OPS-1423.',
    'commit 4f5e6d7c8b9a0f1e2d3c, version 1.2.3, 10.0.0.1:8080, build 20230507-1234',
    'lodash@4.17.21-rc.one, icon@2x.png, git@github.com:owner/repository',
    'order 12345678, 2023-05-07 12:30, +1 point, call 2026-05-13',
    'card 4111 1111 1111 1112, 4111111111111112',
    'at 1679900000000, id 550e8400-e29b-41d4-a716-446655440000',
    'DE89370400440532013001, DE8937040044053201300, XX89370400440532013000',
    'SSN 987-65-4321 and 000-12-3456, 12345678A, 529.982.247-26, RSSMRA85T10A562T',
    '36574261809 and 111222333 without a word that says what they are',
    'AKIA is a prefix, sk-learn is a library, ghp_short',
    'the password is required, PASSWORD: required, DB_PASSWORD=${SECRET}, password: <yours>, pwd: /home/ana',
    'The token budget is 12000 tokens; token: abc; the key is under the mat',
    'https://example.com:8080/a@b and http://localhost:3000',
    '[email] and [phone] are placeholders',
    '',
  ]
  for (const text of clean)
    it(`are not found in ${JSON.stringify(text.slice(0, 60))}`, () => {
      expect(masked(text)).to.equal(text)
    })

  it('are in spans that neither overlap nor exceed the text', () => {
    const text = 'https://ana:p4ss@mail.example.com is ana@example.com, DE89370400440532013000 4111111111111111'
    const spans = findPersonalData(text)
    expect(spans.map(({ kind }) => kind)).to.deep.equal(['password', 'email', 'iban', 'credit_card'])
    spans.forEach(({ start, end }, i) => {
      expect(start).to.be.at.least(spans[i - 1]?.end ?? 0)
      expect(end).to.be.within(start + 1, text.length)
    })
  })

  it('count without verification once a text is full of their shapes', () => {
    const wrong = '4111 1111 1111 1112 '
    expect(findPersonalData(wrong.repeat(50))).to.have.length(0)
    expect(findPersonalData(wrong.repeat(60))).to.have.length(10)
  })

  it('are searched for quickly where patterns could backtrack', () => {
    const hostile = [
      ...[
        'a',
        '1',
        '+',
        '@',
        ' ',
        '"',
        '(1',
        '1-',
        '+1 ',
        'a.',
        'a@',
        'a@a.',
        '1.1.',
        '1 2 3 4 5 6 7 8 9 ',
        '://',
        'a_',
      ],
      ...['-----BEGIN ', '-----BEGIN A PRIVATE KEY-----', 'eyJ', 'eyJaaaaaaaa.', 'Bearer ', 'sk-', 'AKIA', 'http://a:'],
      ...[
        'password=',
        'password is ',
        'password:   "',
        "token='",
        'api-',
        'call at ',
        'phone number is ',
        'ssn 1',
        'ssn 1 1.',
      ],
      ...[
        'DE89 ',
        'DE89 3704 0044 0532 0130 01 ',
        '+1 415 555 2671 ',
        '123-45-6789 ',
        'AB 12 34 56 C ',
        '1 11 11 11 111 111 11 ',
      ],
      ...[
        '４',
        'a＠',
        '\u00ad',
        'a\u200b',
        'e\u0301',
        '\u0301',
        '\ufdfa',
        '𝟒',
        '٣',
        '\ud800',
        '—',
        '1 — ',
        '1—',
        '。',
        'a@a。',
        '漢@',
      ],
      ...[
        '電話番号は',
        '密码是',
        'カード4111 1111 1111 1112',
        'order ',
        'order no. ',
        'order 4111111111111111 ',
        'tel no ',
        "a'",
      ],
      ...['0049 ', '(+4', '+49 (0)', '4111 - ', '4111.1111.', '12.345.678-', '1-415-', 'pw—', 'clé api:'],
      `${'a'.repeat(64)}@`,
      `a@${'a.'.repeat(4_999)}`,
      `-----BEGIN ${'A '.repeat(4_990)}`,
      `tel ${'1 '.repeat(4_990)}`,
      `a://${':'.repeat(9_000)}`,
    ]
    for (const part of hostile) {
      const text = part.repeat(Math.ceil(10_000 / part.length))
      for (const { start, end } of findPersonalData(text)) expect(end).to.be.within(start + 1, text.length)
    }
  })
})
