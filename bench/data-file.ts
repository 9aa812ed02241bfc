import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv, type JTDDataType } from 'ajv/dist/jtd.js'
import { parse } from 'yaml'

/** Shapes that most data files have (JSON Type Definition, RFC 8927). */
export const TEXT = { type: 'string' } as const
export const TEXTS = { elements: TEXT } as const

/** Returns the folder of the checkout: the built bench lies one folder deeper than its source. */
export function checkout(): string {
  const found = ['../', '../../']
    .map((up) => fileURLToPath(new URL(up, import.meta.url)))
    .find((folder) => existsSync(`${folder}package-lock.json`))
  if (found === undefined) throw new Error('the bench is not in a checkout')
  return found
}

/** Reads `bench/FILE`, a YAML file. Throws when it has another shape. */
export function readData<const S extends object>(file: string, shape: S): JTDDataType<S> {
  const data: unknown = parse(readFileSync(`${checkout()}bench/${file}`, 'utf8'))
  const ajv = new Ajv({ allErrors: true })
  const isOfShape = ajv.compile<JTDDataType<S>>(shape)
  if (!isOfShape(data)) throw new Error(`bench/${file}: ${ajv.errorsText(isOfShape.errors)}`)
  return data
}
