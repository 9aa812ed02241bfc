import { workerData } from 'node:worker_threads'
import { serveTasks } from '../../runtime/threads/serve-tasks.js'
import type { ModelTasks } from '../model-thread.js'

/** The `workerData` of the thread, which answers with one logit per text. */
export interface LocalClassifier {
  /** A name on the hub, or an absolute path. */
  readonly place: string
  readonly isFolder: boolean
  /** Folder in which downloads from the hub are cached. */
  readonly cacheFolder: string | null
  /** An npm package, or a file's URL. */
  readonly library: string
}

/** A few texts to score against one query. */
export interface RerankRequest {
  readonly query: string
  readonly texts: readonly string[]
}

/** The part of @huggingface/transformers that is used here: it is not a dependency, so its types are not installed. */
interface Library {
  readonly AutoTokenizer: FromPretrained<Tokenizer>
  readonly AutoModelForSequenceClassification: FromPretrained<Classifier>
}
interface FromPretrained<T> {
  from_pretrained(place: string, options: object): Promise<T>
}
type Tokenizer = (
  texts: readonly string[],
  options: { readonly text_pair: readonly string[]; readonly padding: true; readonly truncation: true },
) => object
type Classifier = (
  inputs: object,
) => Promise<{ readonly logits: { readonly data: ArrayLike<number>; readonly dims: readonly number[] } }>

const { place, isFolder, cacheFolder, library } = workerData as LocalClassifier

async function load(): Promise<{ tokenizer: Tokenizer; classifier: Classifier }> {
  const { AutoTokenizer, AutoModelForSequenceClassification } = (await import(library)) as Library
  const options = { local_files_only: isFolder, ...(cacheFolder !== null && { cache_dir: cacheFolder }) }
  const tokenizer = await AutoTokenizer.from_pretrained(place, options)
  const classifier = await AutoModelForSequenceClassification.from_pretrained(place, { ...options, dtype: 'q8' })
  return { tokenizer, classifier }
}

/** Returns one logit per text; for a classifier with two labels, the second minus the first. */
async function score(
  { tokenizer, classifier }: Awaited<ReturnType<typeof load>>,
  { query, texts }: RerankRequest,
): Promise<number[]> {
  const inputs = tokenizer(
    texts.map(() => query),
    { text_pair: texts, padding: true, truncation: true },
  )
  const { data, dims } = (await classifier(inputs)).logits
  const [rows, labels = 1] = dims
  if (rows !== texts.length || labels < 1 || labels > 2) throw new RangeError('not a reranker')
  return texts.map((_, i) => (labels === 1 ? data[i]! : data[2 * i + 1]! - data[2 * i]!))
}

const model = await load()
serveTasks({
  facts: () => null,
  answer: (request) => score(model, request),
} satisfies ModelTasks<RerankRequest, readonly number[], null>)
