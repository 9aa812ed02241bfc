/**
 * Refuses a `sql` statement that kysely's builder says plainly: one table, conditions that compare its columns with values, and values that
 * are written. The builder checks tables, columns and rows; `store/README.md` has the rule. Here `$` stands for a value of the template, `#`
 * for a piece of SQL.
 */
const NAME = String.raw`(?:\w+\.)?\w+`
const VALUE = String.raw`(?:\$(?:::[\w[\]]+)?|'[^']*'|\d[\d.]*|true|false|null|now\(\))`
const NAMES = list(String.raw`\w+`)
const ROWS = list(String.raw`(?:${NAME}|\*|count\(\*\)(?:::int)?)(?: as (?:\w+|"\w+"))?`)
const TABLE = String.raw`(?!pg_|kysely_)\w+(?: as)?(?: (?!where|set|order|limit|for|values|returning)\w+)?`
const COMPARISON = String.raw`(?:=|<>|<=|>=|<|>) (?:${VALUE}|any\(\$(?:::[\w[\]]+)?\))|is (?:not )?null|(?:not )?in \(${list(VALUE)}\)`
const CONDITION = String.raw`(?:#|(?:not )?${NAME}(?: (?:${COMPARISON}))?)`
const GROUP = String.raw`(?:${CONDITION}|\(${CONDITION}(?: (?:and|or) ${CONDITION})*\))`
const WHERE = String.raw`(?: where ${GROUP}(?: (?:and|or) ${GROUP})*)?`
const RETURNING = String.raw`(?: returning ${ROWS})?`
const ORDER = String.raw`(?: order by ${list(String.raw`${NAME}(?: desc| asc)?`)})?(?: limit [$\d]+)?`
const LOCK = String.raw`(?: for (?:no key update|update|key share|share)(?: of \w+)?(?: skip locked)?)?`
const SET = list(String.raw`\w+ = (?:${VALUE}|${NAME}(?: [+-] (?:${VALUE}|${NAME}))?)`)
const CONFLICT = String.raw`(?: on conflict(?: \(${NAMES}\))? do (?:nothing|update set ${SET}${WHERE}))?`

const PLAIN = new RegExp(
  [
    `select(?: ${ROWS})? from ${TABLE}${WHERE}${ORDER}${LOCK}`,
    String.raw`insert into ${TABLE} \(${NAMES}\) values \(${list(VALUE)}\)${CONFLICT}${RETURNING}`,
    `update ${TABLE} set ${SET}${WHERE}${RETURNING}`,
    `delete from ${TABLE}${WHERE}${RETURNING}`,
  ]
    .map((statement) => `^${statement}$`)
    .join('|'),
)

function list(item) {
  return `${item}(?:, ${item})*`
}

const plainStatements = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      plain: "kysely's builder says this statement plainly (store/README.md).",
      all: 'Name the columns: once prepared, this statement fails when a migration adds one (store/README.md).',
      list: 'Each value of this list becomes a parameter: compare with `anyOf(…)` (store/README.md).',
    },
  },
  create(context) {
    const types = context.sourceCode.parserServices
    const standsFor = (node) => (types.getTypeAtLocation(node).getProperty('isRawBuilder') ? '#' : '$')
    return {
      "CallExpression[callee.property.name='execute'] > MemberExpression > TaggedTemplateExpression[tag.name='sql']"({
        quasi,
      }) {
        const { quasis, expressions } = quasi
        const text = quasis
          .map(({ value }, i) => value.raw + (i in expressions ? standsFor(expressions[i]) : ''))
          .join('')
        if (PLAIN.test(text.trim().replace(/\s+/g, ' '))) context.report({ node: quasi, messageId: 'plain' })
      },
      'CallExpression[callee.property.name=/^(select|returning)All$/]'(node) {
        context.report({ node, messageId: 'all' })
      },
      'CallExpression[arguments.1.value=/^(not )?in$/]'({ arguments: [, , values] }) {
        if (values && values.type !== 'ArrayExpression') context.report({ node: values, messageId: 'list' })
      },
    }
  },
}

export const plainStatementsPlugin = { rules: { 'plain-statements': plainStatements } }
