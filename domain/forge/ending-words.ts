/** Joins words of several lines to one alternative of a pattern; `_` stands for white space. */
export function words(list: string): string {
  return list
    .trim()
    .split(/\s+/)
    .join('|')
    .replaceAll('_', String.raw`\s+`)
}

/** Matches what a successful end is told with: repairs, completions, approvals, measures that are met. */
export const WELL = words(`
  accomplished received credited cashed awarded reached did_it landed went_out beats? improved better faster above_(?:the_)?(?:threshold|target|baseline) can_(?:\\S+_){1,4}(?:now|again) valid recovered
  done complete[sd]? completed completion finish(?:es|ed)? finali[sz]ed concluded wrapped_up closed closing(?=\\W*$|_(?:the_|this_)?(?:ticket|case|issue|alert|incident)) resolve[sd]? solve[sd]? (?<!\\b(?:the|a|this|that|my|our|any|no)\\s)fix(?:es|ed)? repaired remedied cured
  restored recovered rescued succeed(?:s|ed)? success success(?:es|ful|fully)? work(?:s|ed|ing)(?!_(?:out|with|through|on_(?!the_first|first))) work(?=\\W*$|_(?:again|now|fine|as)\\b) pass(?:es|ed|ing)?(?!_(?:\\S+_){0,4}(?:on|along|over|to)\\b) green healthy stable
  verified validated confirmed approved accepted granted certified cleared signed_off sign-?off countersigned fully_executed executed signed
  deployed shipped released launched live merged published delivered handed_over submitted lodged filed settled paid reimbursed refunded recouped
  reconcile[sd]? reconciled balance[sd]? match(?:es|ed)? tie[sd]? tallies achieved attained ready usable up_and_running in_place in_order in_good_order
  as_expected as_planned on_time no_alerts? within_(?:limits?|tolerance|specs?|specification|range|budget|bounds) in_spec in_range good great fine well perfect(?:ly)?
  ok okay clean clear happy satisfied pleased grateful agreed agrees?(?=\\W*$) lines?_up(?=\\W*$) adopted archived back_(?:in|up|online|to_normal|on_track|in_service) smooth(?:ly)? onboarded
  normal(?:ly)? tick(?:ed|s)?_(?:\\S+_)?off said_yes went_through came_through fits reproduced renewed activated enabled converged whole won upheld dismissed_against lgtm shut_the_ticket no_action_needed exit(?:[\\s\\x5f-]?(?:code|status)[\\s=:]{1,3}|=)0(?!\\d)
  erledigt fertig erfolg(?:reich)? behoben gel[oö]st l[oö]sbar abgeschlossen geschlossen funktionierte? klappte? geklappt geht_(?:jetzt_)?wieder l[aä]uft_(?:jetzt_)?wieder
  freigegeben genehmigt bestanden best[aä]tigt zufrieden in_ordnung wiederhergestellt gelungen geschafft
  termin[ée]e? r[ée]ussie? r[ée]solue? corrig[ée]e? livr[ée]e? valid[ée]e? fonctionne
  terminad[oa]s? completad[oa]s? complet[oa] resuelt[oa]s? exitos[oa]s? exitosamente [ée]xito list[oa]s? funcion(?:a|[oó]) sali[oó]_(?:todo_)?bien limpi[oa]s? coinciden? correct[oa]s? conforme confirmad[oa]s? cerrad[oa]s?
  aprobad[oa]s? entregad[oa]s? conclu[ií]d[oa] resolvid[oa] completat[oa] risolt[oa] riuscit[oa]`)

/** Matches what an unsuccessful end is told with. */
export const BADLY = words(`
  fail(?:s|ed|ing)? failures? errors?(?!_(?:rate|log|budget|message|code|group|handling|page)) errored err(?:or)?s broken breaks broke stopped(?=\\W*$) made_no_difference nothing_(?:worked|helped) without_(?:an?_|any_)?(?:result|success|effect|outcome) (?:is|are|was|were)_off(?=\\W*$) no_(?:effect|difference|improvement|agreement|deal|answer|reply|response|result|money|decision|access) said_no
  never_(?:answered|replied|responded|showed|came|arrived|called|heard) did(?:_not|n['\\u2019]t)_(?:work(?:_out)?|pan_out|help|succeed) no_(?:solution|signal) exit(?:[\\s\\x5f-]?(?:code|status)[\\s=:]{1,3}|=)[1-9]\\d* crash(?:es|ed|ing|_loops?)? stuck blocked blockers? timed_out time-?outs? timing_out
  denied declined refused rejected rejection unresolved unsolved unsuccessful(?:ly)? inconclusive invalid unusable contaminated contamination contaminated (?<!\\b(?:the|a|an|this|that|my|our|his|her|their)\\s)lost missed overdue
  too_late (?<!^\\W*)expired cancell?ed withdrew withdrawn (?:was|were|got|been|matter|case|deal)_dropped reopened unhealthy dead_end in_vain to_no_avail hopeless worse unhappy angry complain(?:s|ed)? complaints? disputed breach(?:ed)?
  corrupt(?:ed|ion)? (?<!\\b(?:turned|scaled|spun|cut|tuned|slowed|narrowed|wr(?:ote|itten))\\s)down outage unreachable unavailable out_of_(?:range|spec|specification|memory|disk|money|tolerance|limits|bounds|control|reach|time|budget) thrown_away discarded scrapped walked_away
  fell_through fell_apart bounced impossible mismatch(?:es|ed)? discrepanc(?:y|ies) off_by shortfall deadlock(?:ed|s)? regression regressed escalated locked_out
  problems? issues? bugs? faults? warnings? exceptions? alarms? wrong notready not_ready unready unstable flaky red incomplete unfinished (?<!^\\W*)turned_down out_of_service
  quarrell?ed deadlocked overturned voided forfeited came_to_nothing hangs? hung leak(?:s|ed|ing)? data_loss downtime
  fehlgeschlagen gescheitert abgebrochen abgelehnt kaputt defekt fehler keine_l[oö]sung (?:geht|ging)_(?:leider_|immer_noch_)?nicht erfolglos vergeblich unm[oö]glich aufgegeben verloren storniert k[uü]ndigt
  [ée]chou[ée]e? [ée]chec abandonn[ée]e? refus[ée]e? erreurs? fall[oó] fallid[oa]s? fracas[oó] rechazad[oa]s?
  descart(?:a|ad[oa]s?) contaminad[oa]s? perdid[oa]s? se_perdi(?:[oó]|eron) repetir imposible cancelad[oa]s? sin_(?:se[nñ]al|resultado|soluci[oó]n|respuesta)
  errores errori falh(?:a|ou|as) fallit[oa] rifiutat[oa]`)

/** Matches ends that nothing in the same sentence repairs. */
export const GIVEN_UP = words(`
  g(?:ave|ive|iving|iven)_up roll(?:ed|ing)?_(?:\\S+_){0,4}back rollback reverted revert(?:ing)? abandon(?:ed|ing)? abort(?:ed|ing)? backed_out
  had_to_stop had_to_give_up had_to_cancel had_to_reopen called_off no_luck no_success no_use stopped_there left_it_there left_it_at_that went_down`)

/** Matches repairs: what follows as their object ("fixed the timeout") is no failure. */
export const REPAIRS = words(`
  fix(?:es|ed)? resolve[sd]? solve[sd]? repaired remedied cured cleared recovered restored corrected eliminated removed worked_around got_rid_of healed addressed handled
  prevent(?:s|ed)? avoid(?:s|ed)? behoben gel[oö]st corrig[ée]e? r[ée]solue? resuelt[oa]`)

/** Matches words that turn what follows into its opposite. */
export const NEGATIONS = words(`
  not \\w+n['\\u2019]t cannot cant wont didnt doesnt isnt wasnt couldnt arent havent hasnt never no none nothing nobody no-one neither nor without unable zero (?<![.,:=\\d])0 hardly barely
  stopped(?=\\W*$) free_of lacks? lacked far_from instead_of nicht kein(?:e[nrms]?)? nie ohne ne pas jamais sans nunca sin sem non senza n[aã]o`)

/** Matches what could not be done, whatever it was. */
export const UNABLE = words(`
  could_not couldn['\\u2019]?t cannot can['\\u2019]?t can_not unable_to fail(?:ed|s)_to not_able_to did_not_manage didn['\\u2019]?t_manage was_not_able no_way_to not_possible
  konnte_nicht no_pud[eo] n['\\u2019]a_pas_pu`)

/** Matches what only might be, or is still to come. */
export const UNREAL = words(`
  will would should shall must may might need(?:s|ed)?_to needs? to_be going_to wants? wanted_to tr(?:y|ies|ied|ying)_to plan(?:s|ned)?_to if unless whether in_case pending
  wait(?:ing|s|ed)? ask(?:ed|ing|s)? hop(?:e|es|ing) hopefully next about_to ready_to please once expect(?:s|ed)?_to supposed_to let['\\u2019]?s check(?:ed|ing)?_(?:if|whether|for|that) test(?:ed|ing)?_the
  rehearsed tomorrow later`)

/** Matches what puts back what was before: after a failure it is no success. */
export const UNDOING = words(`restored recovered put_back`)

/** Matches the cues that speak of the work as a whole; the others may speak of anything. */
export const FIRM = words(`
  done complete[sd]? completed completion finish(?:es|ed)? finali[sz]ed concluded wrapped_up closed closing resolve[sd]? solve[sd]? succeed(?:s|ed)? success(?:ful|fully)? exit.*\\d+ no_solution did(?:_not|n['\\u2019]t)_(?:work|pan|succeed).*
  pass(?:es|ed)? green approved accepted granted certified signed_off countersigned fully_executed executed deployed shipped released live delivered settled paid reimbursed
  refunded works working in_place handed_over fail(?:s|ed|ing)? failures? denied declined refused rejected unresolved unsolved unsuccessful(?:ly)? cancell?ed withdrew withdrawn
  walked_away fell_through turned_down came_to_nothing erledigt fertig erfolg(?:reich|los)? abgeschlossen geschlossen gel[oö]st l[oö]sbar klappte? geklappt fehlgeschlagen gescheitert abgebrochen keine_l[oö]sung g(?:eht|ing)_.*nicht termin[ée]e? r[ée]ussie?
  r[ée]solue? [ée]chou[ée]e? terminad[oa]s? completad[oa]s? resuelt[oa]s? cerrad[oa]s? funcion(?:a|[oó]) sali[oó]_.*bien fall[oó] fracas[oó] rechazad[oa]s? descart(?:a|ad[oa]s?) contaminad[oa]s? se_perdi.*`)

/** Matches what turns a cue before it around: German negates behind the verb. */
export const NEGATED_AFTER = words(`(?:leider_|immer_|noch_|auch_|aber_)*nicht`)

/** Matches what says after a fault that it went away. */
export const WENT_AWAY = words(`
  gone stopped disappeared vanished went_away cleared ceased subsided no_longer not_any_more did_not_return never_came_back fixed resolved solved closed`)
