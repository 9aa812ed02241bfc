import { anyOf } from './words.js'

/**
 * Words that label a number, in the languages that agents mostly write. Patterns in ordinary spelling, normalised as
 * texts are (`anyOf`).
 */
export const PHONE_LABELS = anyOf(`
  (?:tele)?phone, (?:my|her|his|our|their) number, (?:tele)?fon[eo]?, fax, mobile?, mobil(?:telefon|nummer)?, cell(?:phone|ulare?)?, handy(?:nummer)?,
  tele?f?, call, whats ?app, dial, sms, ruf(?:nummer)?, anruf(?:en)?, appele[zr]?, llam[ae](?:me|r)?, ligue, chiama(?:mi)?, позвони(?:те)?, звоните?, telefonnummer, durchwahl, portable, gsm,
  móvil, celular, telemóvel, telefono, telefoon(?:nummer)?, numer telefonu, puhelin(?:numero)?, телефон[а-я]*, тел,
  моб(?:ильный)?, điện thoại, τηλέφωνο, טלפון, هاتف, جوال, موبايل, फ़ोन, मोबाइल, 電話(?:番号)?, 携帯(?:電話)?(?:番号)?, 电话(?:号码)?,
  手机(?:号码|号)?, 電話號碼, 手機(?:號碼)?, 전화(?:번호)?, 휴대폰, 핸드폰, โทร(?:ศัพท์)?
`)

const CARD_LABELS = anyOf(`
  (?:credit|debit|bank)?[ \\-]?cards?, visa, master ?card, amex, american express, maestro, discover, diners, jcb, union ?pay,
  mir, pan, cc, ccn, (?:kredit|bank|debit)?karten?(?:nummer)?, carte(?: bancaire| bleue)?, cb, tarjeta, cartão, carta, kaart,
  (?:kredit)?kort, kart[aęyi]?, luottokortti, карт[аыуе], כרטיס, بطاقة, कार्ड, カード, 卡号?, 信用卡, 卡號, 카드
`)

export const ID_LABELS = anyOf(`
  ssn, social security, national id, identity (?:number|card|document), id (?:number|card), tax(?:payer)? id, tin,
  steuer(?:liche)?[ \\-]?id\\p{L}*, idnr, cpf, bsn, burgerservicenummer, pesel, sin, social insurance, aadhaar, personnummer,
  fødselsnummer, fodselsnummer, insee, nir, sécurité sociale, nino, dni, nif, nie, ahv, rrn, curp, codice fiscale, आधार,
  身份证(?:号码?)?, 身分證, 주민등록번호
`)

/** Labels of long numbers that are not personal data: agents write about them all day. */
const OTHER_LABELS = anyOf(`
  orders?, track(?:ing)?, ship(?:ment|ping), parcel, package, consignment, waybill, awb, invoice, receipt, ticket, case,
  issue, bug, pull request, pr, ref(?:erence)?s?, transaction, txn?, trace, span, request, req, correlation, session,
  customer, serial, sku, parts?, product, article, item, model, batch, lot, isbn, issn, ean, gtin, upc, asin, imei, iccid,
  imsi, mac, ids?, guid, uuid, build, commit, revision, rev, version, release, hash, checksum, sha\\d*, crc, time ?stamps?,
  ts, epoch, nonce, seed, offset, lsn, seq(?:uence)?, snowflake, message, job, run, pid, row, record, document, doc, file,
  sensor, device, meter, barcode,
  (?:bestell|auftrags?|sendungs?|liefer|rechnungs?|vorgangs?|kunden|artikel|serien|paket|teile|chargen|geräte)(?:ung|schein|nummer|nr|id)?,
  bestellung, auftrag, sendung, rechnung, paket, commande, suivi, colis, facture, référence, dossier, pedido, seguimiento,
  envío, factura, guía, rastreo, encomenda, rastreamento, rastreio, fatura, ordine, spedizione, fattura, tracciamento,
  bestelling, zending, factuur, beställning, ordre, zamówieni[ea], przesyłk[ai], faktur[ay], sipariş, kargo, заказ[а-я]*,
  отправлени[ея], трек(?:-номер)?, накладн[а-я]+, счет, счёт, طلب, شحنة, فاتورة, הזמנה, ऑर्डर, 订单号?, 快递单?号?, 运单号?, 单号, 编号, 追踪,
  訂單, 注文(?:番号)?, 追跡(?:番号)?, 伝票(?:番号)?, 問い合わせ番号, 請求書, 주문(?:번호)?, 송장, 운송장
`)

/** Characters before a number that are searched for its label, and those that may stand between the two. */
const LABEL_DISTANCE = 48
const BETWEEN_LABEL_AND_NUMBER = /^(?:[^\d\n.!?]|(?<=(?<!\p{L})\p{L}{1,4})\.){0,24}$/u
const LABELS = new RegExp(
  `(?<card>${CARD_LABELS})|(?<other>${OTHER_LABELS})|(?<own>${PHONE_LABELS}|${ID_LABELS})`,
  'giv',
)

/**
 * Returns whether the nearest label before a number says that it is an order's, a parcel's, a build's: of bare digits,
 * one in ten passes a check digit by chance.
 */
export function isNamedOtherwise(text: string, at: number): boolean {
  return labelBefore(text, at)?.other !== undefined
}

export function isNamedCard(text: string, at: number): boolean {
  return labelBefore(text, at)?.card !== undefined
}

function labelBefore(text: string, at: number): Partial<Record<'card' | 'other' | 'own', string>> | undefined {
  const before = text.slice(Math.max(0, at - LABEL_DISTANCE), at)
  const last = [...before.matchAll(LABELS)].at(-1)
  if (last === undefined || !BETWEEN_LABEL_AND_NUMBER.test(before.slice(last.index + last[0].length))) return undefined
  return last.groups
}
