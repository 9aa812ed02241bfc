import { workerData } from 'node:worker_threads'
import { serveTasks } from '../../runtime/threads/serve-tasks.js'
import type { ModelTasks } from '../model-thread.js'

/** The `workerData` of the thread, which receives a few texts and answers with their vectors. */
export interface LocalModel {
  /** The library's name of the model, such as Xenova/all-MiniLM-L6-v2. */
  readonly name: string
  /** Folder that contains it as `<folder>/<name>`; null to download it from the hub. */
  readonly folder: string | null
  /** Folder in which downloads from the hub are cached. */
  readonly cacheFolder: string | null
  /** The npm package. */
  readonly library: string
}

export interface ModelFacts {
  readonly dimensions: number
}

/** The part of @huggingface/transformers that is used here: it is not a dependency, so its types are not installed. */
interface Library {
  readonly env: { localModelPath: string; cacheDir: string; allowLocalModels: boolean; allowRemoteModels: boolean }
  pipeline(task: 'feature-extraction', model: string, options: { dtype: string }): Promise<Extractor>
}
type Extractor = (
  text: string,
  options: { pooling: 'mean'; normalize: true },
) => Promise<{ readonly data: ArrayLike<number> }>

const { name, folder, cacheFolder, library } = workerData as LocalModel

async function load(): Promise<Extractor> {
  const { env, pipeline } = (await import(library)) as Library
  env.allowLocalModels = folder !== null
  env.allowRemoteModels = folder === null
  if (folder !== null) env.localModelPath = folder
  if (cacheFolder !== null) env.cacheDir = cacheFolder
  return pipeline('feature-extraction', name, { dtype: 'q8' })
}

/** Embeds one text at a time: padding texts of different lengths makes a batch slower than its texts one by one. */
async function embed(extract: Extractor, texts: readonly string[]): Promise<Float32Array[]> {
  const vectors: Float32Array[] = []
  for (const text of texts)
    vectors.push(Float32Array.from((await extract(text, { pooling: 'mean', normalize: true })).data))
  return vectors
}

const extract = await load()
const [probe] = await embed(extract, ['dimensions'])
serveTasks({
  facts: () => ({ dimensions: probe!.length }),
  answer: (texts) => embed(extract, texts),
} satisfies ModelTasks<readonly string[], readonly Float32Array[], ModelFacts>)
