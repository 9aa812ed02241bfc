import {
  startStubEndpoint,
  type EndpointCall,
  type EndpointFault,
  type StubEndpoint,
  type StubOptions,
} from './stub-endpoint.js'

/** Faults of the stub. */
export type RerankFault = EndpointFault | AnswerFault
type AnswerFault = 'no results' | 'too few' | 'no index' | 'wrong index' | 'repeated index' | 'not numbers' | 'logits'

export interface RerankCall extends EndpointCall {
  readonly query: string
  readonly documents: readonly string[]
  /** The body as received. */
  readonly body: Readonly<Record<string, unknown>>
}

export interface RerankStubOptions extends StubOptions<RerankCall> {
  /** Returns 0 to 1; by default the share of the query's words that the document has. */
  readonly score?: (query: string, document: string) => number
}

export type RerankStub = StubEndpoint<RerankCall, RerankFault>

/** Starts a /rerank of Jina's and Cohere's form on a free loopback port; the results come best first. */
export function startRerankStub({ key, before, score = sharedWords }: RerankStubOptions = {}): Promise<RerankStub> {
  return startStubEndpoint<RerankCall, AnswerFault>({
    path: '/rerank',
    ...(key !== undefined && { key }),
    ...(before && { before }),
    read: (body: Record<string, unknown>) => ({
      query: body.query as string,
      documents: body.documents as string[],
      body,
    }),
    quote: ({ query, documents }) => [...documents, query].join(' '),
    answer({ query, documents }, fault) {
      const results = documents
        .map((document, index) => ({ index, relevance_score: score(query, document) }))
        .sort((a, b) => b.relevance_score - a.relevance_score)
      return { model: 'stub', results: faulty(results, fault) }
    },
  })
}

function sharedWords(query: string, document: string): number {
  const words = query.toLowerCase().split(' ')
  return words.filter((word) => document.toLowerCase().includes(word)).length / words.length
}

function faulty(results: { index: number; relevance_score: number }[], fault: AnswerFault | undefined): unknown {
  switch (fault) {
    case undefined:
      return results
    case 'no results':
      return undefined
    case 'too few':
      return results.slice(1)
    case 'no index':
      return results.map(({ relevance_score }) => ({ relevance_score }))
    case 'wrong index':
      return results.map((result) => ({ ...result, index: result.index + 1 }))
    case 'repeated index':
      return results.map((result) => ({ ...result, index: 0 }))
    case 'not numbers':
      return results.map((result) => ({ ...result, relevance_score: null }))
    case 'logits':
      return results.map(({ index, relevance_score }) => ({ index, relevance_score: 10 * relevance_score - 5 }))
  }
}
