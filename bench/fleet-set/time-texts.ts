import { readData, TEXT, TEXTS } from '../data-file.js'

const PERIODS = {
  elements: { properties: { words: TEXT, from: TEXT }, optionalProperties: { days: { type: 'uint8' } } },
} as const

export const { periods, releases, rota, freezes, drills, recurring } = readData('fleet-set/times.yaml', {
  properties: {
    periods: { properties: { days: PERIODS, weeks: PERIODS, months: PERIODS } },
    releases: { properties: { noted: TEXTS, asked: TEXTS } },
    rota: { properties: { asked: TEXTS } },
    freezes: { properties: { noted: TEXTS, asked: TEXTS } },
    drills: { elements: { properties: { noted: TEXT, asked: TEXTS } } },
    recurring: { elements: { properties: { noted: TEXT, planned: TEXT, asked: TEXTS } } },
  },
})
