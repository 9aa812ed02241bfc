import { expect } from 'chai'
import { answerSchema } from '../../models/answer-schema.js'

const colour = answerSchema<{ colour: string; at?: string }>('colour', {
  type: 'object',
  required: ['colour'],
  additionalProperties: false,
  properties: { colour: { type: 'string', enum: ['red', 'blue'] }, at: { type: 'string', format: 'date-time' } },
})

describe('an answer of a language model', () => {
  const readable: [what: string, text: string][] = [
    ['an object', '{"colour":"red"}'],
    ['an object with space around it', ' \n{ "colour": "red" }\n'],
    ['a fenced object', '```json\n{"colour":"red"}\n```'],
    ['an object in a sentence', 'Here it is: {"colour":"red"}. Anything else?'],
    ['an object behind long thoughts', `<think>${'{red} '.repeat(50_000)}</think>{"colour":"red"}`],
    ['an object behind thoughts', '<think>{"colour"? maybe {blue}}</think>{"colour":"red"}'],
  ]
  for (const [what, text] of readable)
    it(`is parsed from ${what}`, () => expect(colour.read(text)).to.deep.equal({ value: { colour: 'red' } }))

  const unreadable: [what: string, text: string, faults: RegExp][] = [
    ['nothing', '', /not one JSON object/],
    ['a sentence', 'It is red.', /not one JSON object/],
    ['a list', '["red"]', /not one JSON object/],
    ['null', 'null', /not one JSON object/],
    ['half an object', '{"colour":"re', /not one JSON object/],
    ['an object that is too long', `{"colour":"red"${' '.repeat(200_000)}}`, /not one JSON object of at most/],
    ['two objects', '{"colour":"red"} {"colour":"blue"}', /not one JSON object/],
    ['an object without a field', '{}', /required property 'colour'/],
    ['an object with another field', '{"colour":"red","size":1}', /must NOT have additional properties/],
    ['a value that is not allowed', '{"colour":"green"}', /\/colour must be equal to one of/],
    ['a value of another type', '{"colour":1}', /\/colour must be string/],
    ['a date that is none', '{"colour":"red","at":"Friday"}', /\/at must match format/],
  ]
  for (const [what, text, faults] of unreadable)
    it(`is refused as ${what}, with the reason`, () => {
      const read = colour.read(text)
      expect(read).to.have.property('faults').that.matches(faults)
    })

  it('reports errors without quoting the answer', () => {
    const read = colour.read('{"colour":"the vault opens with 4711"}')
    expect(JSON.stringify(read)).to.not.match(/vault|4711/)
  })
})
