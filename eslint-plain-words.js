/**
 * Keeps words of our own out of names and comments where the field has a term, and holds doc comments to begin with a verb or their
 * subject. Names are looked at part by part (`bodyRoom` is "body" and "room"), where they are declared.
 */
const TERMS = {
  door: 'request handler, http',
  exchange: 'request context',
  sighting: 'last-seen tracker, touch',
  sightings: 'last-seen tracker, touch',
  party: 'tenant',
  displace: 'supersede',
  displaced: 'superseded',
  displacement: 'supersession',
  skeleton: 'candidates',
  promising: 'best candidates',
  stranger: 'another tenant, cross-tenant',
  strangers: 'other tenants, cross-tenant',
  feast: 'holiday',
  feasts: 'holidays',
  pausing: 'yielding to the event loop',
  parked: 'failed',
}

const NAMES = {
  ...TERMS,
  filling: 'backfill',
  fillings: 'backfills',
  room: 'memory budget, reserve',
  sought: 'keyword terms',
}

/** Words that are plain in one sense and dialect in another: only the other sense is matched. */
const PHRASES = [
  [/\bplace file\b/i, 'checkpoint'],
  [/\bputs? behind\b/i, 'supersede'],
  [/\bleases? of the dead\b/i, 'orphaned leases'],
  [/\bhow manieth\b/i, 'the number of'],
  [/\bgives? up its turn\b/i, 'yields to the event loop'],
]

const BEGINS_WITHOUT_VERB = /^\*\s*(?:\*\s*)?(As|By|For|How|In|Of|Since|So|The same|What|When|Whether|With|Without)\b/

const plainWords = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      word: '"{{word}}" is a word of our own: the field says {{term}}.',
      beginning: 'A doc comment begins with a verb or its subject, not with "{{word}}".',
    },
  },
  create(context) {
    const { sourceCode } = context
    const checkName = (node) => {
      const parts = node.name.split(/(?=[A-Z][a-z])|_|\d+/).map((part) => part.toLowerCase())
      const word = parts.find((part) => Object.hasOwn(NAMES, part))
      if (word !== undefined) context.report({ node, messageId: 'word', data: { word, term: NAMES[word] } })
    }
    const checkComment = (comment) => {
      const report = (messageId, data) => context.report({ loc: comment.loc, messageId, data })
      for (const [word] of comment.value.matchAll(/[A-Za-z]+/g))
        if (Object.hasOwn(TERMS, word.toLowerCase())) report('word', { word, term: TERMS[word.toLowerCase()] })
      for (const [phrase, term] of PHRASES) {
        const found = phrase.exec(comment.value)
        if (found) report('word', { word: found[0], term })
      }
      const beginning = comment.type === 'Block' && BEGINS_WITHOUT_VERB.exec(comment.value)
      if (beginning) report('beginning', { word: beginning[1] })
    }
    return {
      'VariableDeclarator > Identifier.id': checkName,
      ':function > Identifier.id': checkName,
      ':function > Identifier.params': checkName,
      'ClassDeclaration > Identifier.id': checkName,
      'TSInterfaceDeclaration > Identifier.id': checkName,
      'TSTypeAliasDeclaration > Identifier.id': checkName,
      ':matches(PropertyDefinition, MethodDefinition, TSPropertySignature, TSMethodSignature) > :matches(Identifier, PrivateIdentifier).key':
        checkName,
      Program: () => sourceCode.getAllComments().forEach(checkComment),
    }
  },
}

export const plainWordsPlugin = { rules: { 'plain-words': plainWords } }
