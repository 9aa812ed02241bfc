/**
 * Letters that look like an ASCII letter, by script: each pair is the letter and what it looks like. Taken from confusables.txt of
 * Unicode's UTS #39 (single letters of these scripts, without compatibility characters, which NFKC folds), with the lower-case letters
 * that resemble small capitals added. No package of npm that has this table is maintained.
 */
const PAIRS = {
  Cyrillic:
    'аa АA Ьb ВB сc СC ԁd еe ҽe ЕE ԌG һh НH іi ꙇi ӏi јj ЈJ КK Іl Ӏl МM оo ОO рp РP ԛq гr ѕs ЅS ТT ѵv ѴV ѡw ԝw ԜW хx ХX уy үy УY ҮY вb нh кk мm тt',
  Greek: 'αa ΑA ΒB ΕE ϜF ΗH ιi ϳj ͿJ ΚK Ιl ΜM ϺM ΝN οo σo ΟO ρp ΡP ᴦr ΤT υu νv ΧX γy ΥY ΖZ ηn κk τt ωw ϵe εe',
  Armenian: 'քf ցg հh ոn ռn օo ՕO գq զq ՏS սu ՍU աw',
  Cherokee: 'ᎪA Ꮟb ᏴB ꮯc ᏟC Ꮷd ᎠD ᎬE ᏀG ᏳG Ꮒh ᎻH ꭵi Ꭵi ᎫJ ᏦK ᏞL ᎷM ᏢP ꮁr ᎡR ᏒR ꮪs ᏕS ᏚS ᎢT ꮩv ᏙV ꮃw ᎳW ᏔW ᎩY ᎽY ꮓz ᏃZ',
  Coptic: 'ⲥc ⲤC ⲎH ⲔK Ⲓl ⳐL ⲘM ⲚN ⲟo ⲞO ⲣp ⲢP ⲅr ⲦT ⲬX ⲨY',
  Lisu: 'ꓮA ꓐB ꓚC ꓒd ꓓD ꓰE ꓝF ꓖG ꓧH ꓙJ ꓗK ꓲl ꓡL ꓟM ꓠN ꓳO ꓑP ꓣR ꓢS ꓔT ꓴU ꓦV ꓪW ꓫX ꓬY ꓜZ',
  Latin:
    'ɑa Ƅb ꞴB ᴄc ꬲe ꬵf ꞙf ẝf ꞘF ɡg ᶃg ƍg ıi ɪi ɩi ꞲJ Ɩl ǀl ᴏo ᴑo ꬽo ꭇr ꭈr ƦR ꜱs ƽs ꞟu ᴜu ꭎu ꭒu ʋu ᴠv ɯw ᴡw ꞳX ɣy ᶌy ʏy ỿy ꭚy ᴢz',
} as const

type Script = keyof typeof PAIRS

function mapOf(pairs: string): readonly (readonly [string, string])[] {
  return pairs.split(' ').map((pair) => [pair[0]!, pair[1]!] as const)
}

/** Maps every letter of the table to what it looks like. */
export const LOOKS_LIKE: ReadonlyMap<string, string> = new Map(Object.values(PAIRS).flatMap(mapOf))

/** Maps the letters that belong to no alphabet beside Latin: they are replaced wherever they stand. */
export const LATIN_LOOKS_LIKE: ReadonlyMap<string, string> = new Map(mapOf(PAIRS['Latin' satisfies Script]))
