import { expect } from 'chai'
import { statementsOf } from '../../../domain/forge/statements.js'
import { memoryOf } from './forge-memories.js'

const textsOf = (content: string) => statementsOf(memoryOf({ content })).map(({ text }) => text)
const termsOf = (content: string) => statementsOf(memoryOf({ content })).flatMap(({ terms }) => terms)

describe('statements of a memory', () => {
  it('are its sentences, lines and items, without marks and times', () => {
    expect(
      textsOf('I drained the node. Then I upgraded it; it is fine!\n- [x] uncordon\n2) close the ticket\n[14:32] note'),
    ).to.deep.equal(['I drained the node.', 'I upgraded it', 'it is fine!', 'uncordon', 'close the ticket', 'note'])
  })

  const framed: [string, string, readonly string[]][] = [
    [
      'the time, level and thread of a log',
      '2026-03-04T05:12:33.120Z INFO [runner-2] paused the queue',
      ['paused the queue'],
    ],
    ['the fields of a log', 'level=info ts=1772996313 msg="paused the queue"', ['paused the queue']],
    [
      'who speaks in a chat',
      'imran [10:42]: paused the queue\n@nora paused it too',
      ['paused the queue', 'paused it too'],
    ],
    [
      'who speaks in a transcript',
      'Ana Lund (10:42): paused the queue\n[10:43] Nora: paused it too\n安娜（10:44）：已经暂停',
      ['paused the queue', 'paused it too', '已经暂停'],
    ],
    ['the ticket and its state', '[#4711] status: in progress | reset the password', ['reset the password']],
    ['the number of a sample', 'S-892: eluted in buffer', ['eluted in buffer']],
    [
      'greeting and signature of a mail',
      'Hi team,\n\nReset the password.\n\nKind regards\nKim',
      ['Reset the password.'],
    ],
    ['the same in Chinese', '工单 #4711：清空了队列\n您好！\n重启了节点\n谢谢！\n王小明', ['清空了队列', '重启了节点']],
    ['the same in Japanese', 'お疲れ様です。\nノードを停止した\nよろしくお願いします。\n田中', ['ノードを停止した']],
    ['the same in Portuguese', 'Prezada Ana,\nFila esvaziada\nAtenciosamente,\nRui', ['Fila esvaziada']],
    ['the same in Italian', 'Buongiorno Anna,\nCoda svuotata\nCordiali saluti\nPaolo', ['Coda svuotata']],
    ['the same in German', 'Hallo Frau Moor,\nPasswort zurückgesetzt\nViele Grüße\nKim', ['Passwort zurückgesetzt']],
  ]
  for (const [what, text, statements] of framed)
    it(`are without ${what}`, () => {
      expect(textsOf(text)).to.deep.equal(statements)
    })

  it('keep what only looks like a frame', () => {
    for (const text of [
      'Error handling of the queue is new.',
      'Info page of the gateway written.',
      'Status: the node is drained.',
      'Note: drained the node (10:42)',
      'Thanks to the retry the queue drained.',
      'Best effort mode of the scheduler enabled',
      'Hello world service restarted.',
      'Kim',
      '王小明',
      '大家好的建议已记录',
      '以上のノードを停止した',
      'Ciao service restarted.',
      'Fall 3 der Leiter geprüft',
      'mail @nora about the queue',
    ])
      expect(textsOf(text), text).to.deep.equal([text])
  })

  it('are parted at "then", and not after an abbreviation', () => {
    expect(textsOf('drained the node and then upgraded it')).to.deep.equal(['drained the node', 'upgraded it'])
    expect(textsOf('depr. fixed assets')).to.deep.equal(['depr. fixed assets'])
    expect(textsOf('all done. closed it')).to.deep.equal(['all done.', 'closed it'])
  })

  it('have the terms of the text without its numbers; a code keeps its words', () => {
    expect(termsOf('Refunded 129.99 EUR on 2026-03-01')).to.deep.equal(['refund', 'eur'])
    expect(termsOf('node-12')).to.include.members(['node', 'node12'])
  })

  it('are read in linear time, whatever the text', () => {
    for (const atom of [
      'a',
      '1',
      '- ',
      '@a ',
      'level=a ',
      '#1 ',
      'status: a ',
      'hi a ',
      'then ',
      'a. ',
      'a; ',
      '[x] ',
      '…',
      'ok, ',
    ])
      expect(() => textsOf(atom.repeat(10_000 / atom.length))).not.to.throw()
    expect(textsOf('x. '.repeat(9_000)).length).to.be.at.most(60)
  })

  it('have whole characters, wherever a long text is cut', () => {
    for (const shift of [0, 1]) {
      const said = textsOf(`${'x'.repeat(9_900 + shift)}. Then watched ${'\u{1f600}'.repeat(100)}`)
      expect(said).to.have.length(2)
      expect(said.join(' '), `shifted by ${shift}`).to.not.match(/[\ud800-\udfff]/u)
    }
  })

  it('are none in a text without terms', () => {
    expect(textsOf('... 12 ... 34')).to.deep.equal([])
  })
})
