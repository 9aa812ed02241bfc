// A substitute for @huggingface/transformers, with one dimension for each setting, so that a test sees what the library
// was told. `ping` is what a healthy model can read. `hang` is never answered, `bad` cannot be read, `die` ends the
// thread; a model of the name `dumb` can read nothing, `missing` does not exist, and `while <file>` exists as long as
// the file does.
import { existsSync } from 'node:fs'

export const env = { localModelPath: '', cacheDir: '', allowLocalModels: true, allowRemoteModels: true }

const order = []

export async function pipeline(task, model, { dtype }) {
  if (model === 'missing') throw new Error(`Could not locate ${model}`)
  if (model.startsWith('while ') && !existsSync(model.slice(6))) throw new Error('no weights there')
  return async (text, { pooling, normalize }) => {
    if (text === 'die') process.exit(3)
    if (text === 'bad') throw new TypeError('cannot read this')
    if (text === 'hang') await new Promise(() => undefined)
    if (model === 'dumb' && text !== 'dimensions') throw new TypeError('cannot read anything')
    order.push(text)
    const told = [task === 'feature-extraction', dtype === 'q8', pooling === 'mean', normalize, env.allowRemoteModels]
    return { data: [...told.map(Number), order.length, text.length, env.localModelPath.length] }
  }
}
