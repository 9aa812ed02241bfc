import { expect } from 'chai'
import { directionOf } from '../../../domain/answers/direction.js'

describe('domain/answers/direction', () => {
  const questions: [language: string, direction: string, question: string][] = [
    ['en', 'newest', 'Who is on call for payments now?'],
    ['en', 'newest', 'What must be done before a deploy?'],
    ['en', 'newest', 'What is the first step of the runbook?'],
    ['en', 'first', 'Which database did we originally use?'],
    ['en', 'first', 'Who was on call at first?'],
    ['en', 'first', 'What was the limit first?'],
    ['en', 'previous', 'Where did Alice live before?'],
    ['en', 'previous', 'What did the limit used to be?'],
    ['en', 'previous', 'Who was the previous owner?'],
    ['en', 'previous', 'Where did Alice use to live?'],
    ['en', 'previous', 'Which tool have we used before?'],
    ['en', 'newest', 'Which key is used to sign tokens?'],
    ['en', 'newest', 'What is Redis used to store?'],
    ['en', 'newest', 'What was decided before the launch?'],
    ['en', 'newest', 'Who was our first customer?'],
    ['en', 'newest', 'Which endpoints are no longer supported?'],
    ['en', 'newest', 'What is the previous employer of Ana?'],
    ['en', 'newest', 'Is previous experience required?'],
    ['es', 'newest', '¿Qué hay que hacer antes de un despliegue?'],
    ['zh', 'newest', '部署之前要做什么?'],
    ['de', 'first', 'Welche Datenbank hatten wir ursprünglich?'],
    ['de', 'previous', 'Wer hatte früher Bereitschaft?'],
    ['de', 'newest', 'Wer hat Bereitschaft?'],
    ['fr', 'previous', 'Qui était responsable auparavant ?'],
    ['es', 'first', '¿Qué base de datos usábamos originalmente?'],
    ['ru', 'previous', 'Кто дежурил раньше?'],
    ['zh', 'first', '最初的值班工程师是谁?'],
    ['zh', 'previous', '以前的值班工程师是谁?'],
    ['ja', 'previous', '以前の担当者は誰ですか?'],
  ]
  for (const [language, direction, question] of questions)
    it(`of "${question}" is ${direction}`, () => expect(directionOf(question, language)).to.equal(direction))
})
