// Stands for @huggingface/transformers: one dimension for each setting, so that a test sees what the library was told.
export const env = { localModelPath: '', cacheDir: '', allowLocalModels: true, allowRemoteModels: true }

const order = []

export async function pipeline(task, model, { dtype }) {
  if (model === 'missing') throw new Error(`Could not locate ${model}`)
  return async (text, { pooling, normalize }) => {
    if (text === 'die') process.exit(3)
    if (text === 'bad') throw new TypeError('cannot read this')
    order.push(text)
    const told = [task === 'feature-extraction', dtype === 'q8', pooling === 'mean', normalize, env.allowRemoteModels]
    return { data: [...told.map(Number), order.length, text.length, env.localModelPath.length] }
  }
}
