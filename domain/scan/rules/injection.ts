import type { Hit } from '../lexicon/find-concepts.js'
import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'
import { type Combination, ruleOf, type WordMatch } from './combinations.js'
import { rangeOf } from './matches.js'
import type { Match, Rule } from './rule.js'

/** Instructions that are said to stand in fetched text are not the reader's own: to ignore them is what is wanted. */
function isOwnInstruction(reading: Reading, match: Span, sentence: Span): boolean {
  const around = { start: match.start, end: Math.min(sentence.end, match.end + 80) }
  const foreign = reading.hitsIn(around, 'foreign')
  return foreign.length === 0 || reading.hitsIn(match, 'systemPrompt').length > 0 || isPrior(reading, match)
}

function isPrior(reading: Reading, match: Span): boolean {
  return reading
    .hitsIn(match, 'prior')
    .some((hit) => !/^(?:received|given|any other)/.test(reading.lower.slice(hit.start, hit.end)))
}

/** "Forget the draft. The operator's rules always stay in force." */
const STAYS =
  /^\s(?:(?:always|still|however) )?(?:stays?|remains?|continues?|(?:still|always) (?:apply|applies|count)|bleib|gelten weiter|restent|siguen|permanecen|остаются|продолжают)/u

/** "Skip the above if …" leaves out a step. */
function isUnconditional(reading: Reading, match: Span, sentence: Span): boolean {
  return (
    isOwnInstruction(reading, match, sentence) &&
    !STAYS.test(reading.lower.slice(match.end, match.end + 40)) &&
    // "Rules from before 2024"
    !/\d年(?:度)?(?:以前|之前|より前)/u.test(reading.lower.slice(Math.max(0, match.start - 6), match.end)) &&
    !/^\s*(?:if|when|wenn|falls|si|se|если|如果|场合)\b/.test(reading.lower.slice(match.end, match.end + 8))
  )
}

/** "… the previous guidelines. Ignore the old rules about tabs": the verb of the second sentence is not said of the first. */
function hasOwnObject(reading: Reading, { parts }: WordMatch): boolean {
  const [ignored, instruction] = parts as readonly [Hit, Hit]
  if (instruction.start > ignored.end) return false
  return (
    /[.!?]\s/.test(reading.text.slice(instruction.end, ignored.start)) &&
    /^\s(?:the|any|all) (?:old|older|outdated|obsolete)\b/.test(reading.lower.slice(ignored.end, ignored.end + 40))
  )
}

/** The system prompt is that of the agent, and not one of the software that it works on. */
function isNotProduct(reading: Reading, match: WordMatch): boolean {
  const after = (from: number) => reading.lower.slice(from, from + 100)
  return ![match.end, match.parts[1]!.end].some((end) => IS_OF_PRODUCT.test(after(end)))
}

const IS_OF_PRODUCT =
  /^\W{0,3}(?:of|for|der|des|de l'|de la|del|della|do|da|для)\s(?:the |our |a |an |this |unserer? |la |el |o )?(?:app|anwendung|aplicac|aplica|bot\b|product|produkt|service|dienst|feature|project|projekt|chatbot)|^[^.\n]{0,40}`[\w./-]{1,60}\.(?:md|txt|ya?ml|json|ts|py)`/u

/** Style sheets, linters and firewalls have rules too. */
function isRuleOfAgent(reading: Reading, match: Span, sentence: Span): boolean {
  return (
    isUnconditional(reading, match, sentence) &&
    !OTHER_RULES.test(reading.lower.slice(match.end, match.end + 40)) &&
    !IS_PURPOSE.test(reading.lower.slice(sentence.start, match.start))
  )
}

/** "To override all previous rules, raise the specificity": how something is done, and not that it be done. */
const IS_PURPOSE = /^[\s\d.)*>-]{0,8}(?:to|in order to|um|pour|afin de?|para|чтобы)\s$/u

const OTHER_RULES =
  /^\s*(?:of|in|for|from|from the|within|about|on|regarding|concerning)\s(?:the |a |this |that |your )?(?!platform|system|operator|owner|session|conversation|agent|assistant|user|company|house|developer|model|vendor|maker|creator)\w/

/** The words of the first idea stand first, or are compared by a particle that stands before them. */
function isFirst(reading: Reading, { parts, start, end }: WordMatch): boolean {
  const [first, second] = parts as readonly [Hit, Hit]
  return (
    first.start < second.start ||
    /より|보다|[\p{sc=Han}\p{sc=Kana}\p{sc=Hangul}]/u.test(reading.lower.slice(start, end))
  )
}

/** The negation is one of telling: "do not tell", "ohne zu sagen", "知らせないで". */
function isNotTold(reading: Reading, { parts }: WordMatch): boolean {
  const [negation, told] = parts as readonly [Hit, Hit]
  if (
    /^(?:refus|reject|declin|prevent|instead|rather|can|stop|nie mehr|拒|откаж|отказ|отклон|verweig|lehn|rechaz|recus|rifiut|رفض|거부)/u.test(
      reading.lower.slice(negation.start, negation.end),
    )
  )
    return false
  if (told.start >= negation.end) {
    const gap = reading.lower.slice(negation.end, told.start)
    // "Explica que no puedes mostrarlas"
    if (
      /^\s?(?:pued|pode|peux|pouvez|kannst)/.test(gap) &&
      /\b(?:que|dass)\s$/.test(reading.lower.slice(Math.max(0, negation.start - 6), negation.start))
    )
      return false
    // "No lo hagas y avisa": what follows the conjunction is another order.
    return gap.length <= 26 && !/\S\s(?:y|e|and|und|et|и)\s$|\p{sc=Han}[,;\u3001]|并且?$/u.test(gap)
  }
  // "Erwähne dies dem Benutzer gegenüber nicht": its negation stands behind the objects.
  return negation.start - told.end <= (/^(?:nie|niemals|nicht|niet|nooit)$/.test(textOf(reading, negation)) ? 80 : 26)
}

function textOf(reading: Reading, { start, end }: Span): string {
  return reading.lower.slice(start, end)
}

/** The person is not told at all, or not told of what the agent does. */
function endsWithPerson(reading: Reading, match: WordMatch, sentence: Span): boolean {
  return sentence.end - match.end <= 3 && isNotTold(reading, match)
}

/** A role is described in the sentences after the one that gives it. */
const UNRESTRICTED_AHEAD = 200

/** The negation belongs to the verb: nothing separates the two. */
function isBesideVerb(reading: Reading, { parts }: WordMatch): boolean {
  const [negation, verb] = parts as readonly [Hit, Hit]
  const [from, to] = negation.end <= verb.start ? [negation.end, verb.start] : [verb.end, negation.start]
  return !/[,;:\u3001\uff0c]/.test(reading.text.slice(from, to))
}

/** The agent is what enters the mode, and not a telephone. */
function isAgent(reading: Reading, { parts }: WordMatch, sentence: Span): boolean {
  const persona = reading.lower.slice(parts[0]!.start, parts[0]!.end)
  return (
    /^(?:you|from|pretend|imagine|du |ab |tu |vous|à partir|ahora|eres|a partir|desde|agora|você|теперь|ты|отныне|你|从现在|現在|今から|あなた|これから|أنت|من الآن|너는|당신|이제)/u.test(
      persona,
    ) || reading.hitsIn({ start: sentence.start, end: sentence.end + UNRESTRICTED_AHEAD }, 'unrestricted').length > 0
  )
}

const COMBINATIONS: readonly Combination[] = [
  {
    code: 'prompt_override',
    says: 'tells the agent to ignore the instructions that it was given',
    of: [['ignore'], ['instruction'], ['prior', 'your', 'all']],
    within: 90,
    when: (reading, match, passage) => !hasOwnObject(reading, match) && isUnconditional(reading, match, passage),
  },
  {
    code: 'prompt_override',
    says: 'tells the agent to drop its system prompt',
    of: [['ignore', 'undo'], ['systemPrompt']],
    within: 60,
    when: isOwnInstruction,
  },
  {
    code: 'prompt_override',
    says: 'tells the agent to erase what it was told',
    of: [['undo'], ['instruction'], ['prior'], ['your']],
    within: 90,
    when: isOwnInstruction,
  },
  {
    code: 'prompt_override',
    says: 'tells the agent to break its rules',
    of: [['ignore'], ['rule'], ['prior', 'your']],
    within: 100,
    when: isRuleOfAgent,
  },
  {
    code: 'prompt_override',
    says: 'tells the agent to forget what it was told',
    of: [['ignore'], ['priorAll']],
    within: 150,
  },
  {
    code: 'prompt_override',
    says: 'tells the agent to stop following its instructions',
    of: [['not'], ['obey'], ['instruction', 'rule'], ['prior']],
    within: 80,
    when: (reading, match, sentence) => isBesideVerb(reading, match) && isOwnInstruction(reading, match, sentence),
  },
  {
    code: 'prompt_override',
    says: 'claims to outrank the instructions that the agent was given',
    of: [['takesPrecedence'], ['systemPrompt', 'ignore', 'safeguard'], ['instruction', 'rule', 'your', 'all', 'prior']],
    within: 120,
    when: isOwnInstruction,
  },
  {
    code: 'prompt_override',
    says: 'claims to outrank the instructions that the agent was given',
    of: [['takesPrecedence'], ['instruction', 'rule'], ['prior', 'your']],
    within: 90,
    when: (reading, match, sentence) => isFirst(reading, match) && isOwnInstruction(reading, match, sentence),
  },
  {
    code: 'prompt_override',
    says: 'claims to outrank the instructions that the agent was given',
    of: [['takesPrecedence'], ['systemPrompt', 'promptText']],
    within: 60,
    when: (reading, match, sentence) => isFirst(reading, match) && isOwnInstruction(reading, match, sentence),
  },
  {
    code: 'prompt_role',
    says: 'gives the agent a role without its restrictions',
    of: [['persona'], ['unrestricted']],
    within: 220,
  },
  {
    code: 'prompt_role',
    says: 'puts the agent into a mode without its restrictions',
    of: [['persona'], ['mode']],
    within: 80,
    when: isAgent,
  },
  {
    code: 'prompt_leak',
    says: 'asks for the system prompt',
    of: [['reveal'], ['systemPrompt']],
    within: 100,
    when: (reading, match, sentence) => isOwnInstruction(reading, match, sentence) && isNotProduct(reading, match),
  },
  {
    code: 'prompt_leak',
    says: 'asks for the instructions that the agent was given',
    of: [['reveal', 'send', 'add', 'remember'], ['promptText']],
    within: 160,
    when: isOwnInstruction,
  },
  { code: 'prompt_concealment', says: 'tells the agent to hide what it does', of: [['unknowingly']], within: 90 },
  {
    code: 'prompt_concealment',
    says: 'tells the agent to keep something from its user',
    of: [['not', 'without', 'nothing'], ['tell'], ['user'], ['own']],
    within: 110,
    unless: ['innocuous'],
    when: isNotTold,
  },
  {
    code: 'prompt_concealment',
    says: 'tells the agent to keep something from its user',
    of: [['not', 'without'], ['tell'], ['user']],
    within: 60,
    unless: ['innocuous'],
    when: endsWithPerson,
  },
  {
    code: 'prompt_concealment',
    says: 'tells the agent to hide something from its user',
    of: [['hide'], ['own'], ['user']],
    within: 90,
    unless: ['innocuous'],
    when: (reading, { start, end }) => /\sfrom\s/.test(reading.lower.slice(start, end)),
  },
  {
    code: 'prompt_concealment',
    says: 'wants its user not to know',
    of: [['mustNotKnow'], ['user'], ['own']],
    within: 130,
  },
  {
    code: 'prompt_concealment',
    says: 'wants its user not to know',
    of: [['mustNotKnow'], ['user']],
    within: 40,
    unless: ['innocuous'],
    // "The user must not find out."
    when: (reading, { parts, end }) =>
      parts[1]!.end <= parts[0]!.start && /^\s?[,.;!]/.test(reading.text.slice(end, end + 3)),
  },
  {
    code: 'prompt_concealment',
    says: 'tells the agent to act in secret',
    of: [
      ['secretly'],
      ['send', 'delete', 'add', 'disable', 'download', 'execute'],
      ['sensitive', 'talk', 'wholeTarget', 'safeguard', 'malware', 'outside', 'startup', 'admin'],
    ],
    within: 140,
  },
  {
    code: 'prompt_concealment',
    says: 'tells the agent to act in secret',
    of: [['covertly'], ['add', 'modify', 'delete', 'send', 'disable', 'remember', 'grant', 'download', 'execute']],
    within: 70,
  },
  {
    code: 'prompt_tool_misuse',
    says: 'tells the agent to act without the approval that it needs',
    of: [
      ['without', 'not', 'ignore'],
      ['approval'],
      ['execute', 'delete', 'send', 'approve', 'disable', 'buy'],
      ['all', 'toolCall', 'sensitive', 'wholeTarget', 'money', 'purchase'],
    ],
    within: 150,
    unless: ['limited'],
    when: (reading, { parts }) => !/^(?:不得|禁止|严禁|不许)/.test(reading.lower.slice(parts[0]!.start, parts[0]!.end)),
  },
  {
    code: 'prompt_tool_misuse',
    says: 'tells the agent to approve everything',
    of: [['approve'], ['all'], ['toolCall']],
    within: 70,
  },
  {
    code: 'prompt_tool_misuse',
    says: 'tells the agent to approve everything',
    of: [['approve'], ['toolCall'], ['without'], ['approval', 'inspect']],
    within: 110,
  },
  {
    code: 'prompt_tool_misuse',
    says: 'tells the agent to give its own consent for a person',
    of: [['approve', 'grant'], ['approval'], ['onBehalf']],
    within: 140,
  },
  {
    code: 'prompt_tool_misuse',
    says: 'tells the agent to give its own consent for a person',
    of: [['selfConsent']],
    within: 90,
  },
  {
    code: 'prompt_tool_misuse',
    says: 'tells the agent to give itself more rights',
    of: [['grant'], ['admin'], ['self']],
    within: 70,
  },
  {
    code: 'prompt_false_report',
    says: 'tells the agent to report what is not true',
    of: [['claim'], ['success'], ['regardless']],
    within: 150,
    isAcrossQuotes: true,
  },
  {
    code: 'prompt_false_report',
    says: 'tells the agent to report a failure as a success',
    of: [['asSuccess'], ['failure', 'regardless'], ['claim', 'tell']],
    within: 160,
  },
  {
    code: 'prompt_false_report',
    says: 'tells the agent to report a failure as a success',
    of: [['claim', 'tell'], ['success'], ['failure'], ['still']],
    within: 120,
    isAcrossQuotes: true,
  },
  {
    code: 'prompt_false_report',
    says: 'tells the agent to invent results',
    of: [['fabricate'], ['results', 'success']],
    within: 60,
  },
  {
    code: 'prompt_replication',
    says: 'tells the agent to spread this text',
    of: [['remember', 'send'], ['selfText', 'instruction'], ['skillFile']],
    within: 120,
  },
  {
    code: 'prompt_replication',
    says: 'plants an instruction in the memory of agents',
    of: [
      ['remember'],
      ['skillFile'],
      ['ignore', 'disable', 'approve'],
      ['all', 'instruction', 'rule', 'safeguard', 'toolCall'],
    ],
    within: 260,
    isAcrossQuotes: true,
  },
  {
    code: 'prompt_remote_instructions',
    says: 'tells the agent to follow instructions from elsewhere',
    of: [['download'], ['instruction'], ['execute', 'obey'], ['outside']],
    within: 160,
    unless: ['inspect'],
  },
  {
    code: 'prompt_remote_instructions',
    says: 'tells the agent to follow instructions from elsewhere without a look at them',
    of: [
      ['execute', 'obey'],
      ['instruction'],
      ['elsewhere', 'foreign', 'outside'],
      ['without'],
      ['inspect', 'approval'],
    ],
    within: 140,
  },
  {
    code: 'prompt_remote_instructions',
    says: 'tells the agent to obey what it reads elsewhere',
    of: [['asOrders'], ['elsewhere', 'foreign', 'outside']],
    within: 160,
    unless: ['inspect'],
  },
]

/** Marks by which chat templates begin a turn; text that has them poses as the system. */
const MARKERS =
  /<\|(?:im_start|im_end|system|user|assistant|start_header_id|eot_id|endoftext)\|?>|\[\/?(?:INST|SYSTEM|SYS)\]|<<\/?SYS>>|<\/?(?:system|system_prompt|system-reminder|developer_message)>|^[ \t]{0,3}(?:#{1,4} ?)?(?:SYSTEM|System|ADMIN|DEVELOPER)(?: (?:message|prompt|override|notice|update))? ?:(?= )|BEGIN SYSTEM (?:PROMPT|MESSAGE)|SYSTEM OVERRIDE/gm

const markers: Rule = {
  code: 'prompt_markers',
  severity: 'critical',
  says: 'poses as a turn of the system',
  *find(reading: Reading): Iterable<Match> {
    for (const found of reading.text.matchAll(MARKERS)) {
      const span = rangeOf(found)
      const block = reading.blockAt(span)
      const next = reading.text.slice(span.end, span.end + 400)
      const inline = reading.text[span.start - 1] === '`'
      // Templates are shown in code; a turn that commands the reader is an attack wherever it stands.
      const commands = reading
        .hitsIn({ start: span.start, end: span.end + Math.min(400, next.length) })
        .some(({ concept }) => COMMANDING.has(concept))
      yield { ...span, severity: inline || block?.kind === 'code' || !commands ? 'warn' : 'critical' }
    }
  },
}

const COMMANDING: ReadonlySet<string> = new Set([
  'persona',
  'ignore',
  'unrestricted',
  'sensitive',
  'takesPrecedence',
  'secretly',
  'unknowingly',
  'approve',
  'disable',
  'wholeTarget',
  'authority',
  'obey',
  'send',
  'execute',
])

export const INJECTION_RULES: readonly Rule[] = [...COMBINATIONS.map(ruleOf), markers]
