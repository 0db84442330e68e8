import type { Draw } from '../base/draw'
import type { Bytes } from '../base/units'

// Plain words for plain sentences. All ASCII, so that a character is a byte and four of them are a token everywhere.
const words = (list: string): readonly string[] => list.trim().split(/\s+/)

const nouns = words(`
  garden kettle ladder window river bridge lantern basket market orchard meadow harbour engine ticket platform signal
  whistle timetable carriage tunnel valley station workshop library teapot blanket notebook pencil letter parcel map
  compass candle mirror cupboard drawer bicycle wheel pedal saddle road corner fountain statue square bench pigeon
  sparrow cloud storm umbrella puddle boot jacket button needle thread ribbon cake spoon bowl plate recipe pepper
  carrot onion lentil barley honey apple pear plum cherry walnut`)
const adjectives = words(`
  old quiet narrow bright heavy gentle early late round wooden copper green yellow careful simple steady patient
  curious familiar ordinary distant warm cold dry muddy polished folded painted borrowed missing second third usual
  large small open closed empty full`)
const verbs = words(`
  follows carries opens closes mends paints measures lifts turns finds leaves meets keeps moves fills holds shows
  passes cleans counts sorts needs replaces covers joins explains checks warms cools marks`)
const endings = words(`
  slowly today again twice together outside first quickly carefully tomorrow often later nearby upstairs properly
  before-noon after-lunch every-week in-spring without-hurry`)
const openings = [
  'In short,',
  'As a rule,',
  'For example,',
  'After that,',
  'Please note:',
  'By contrast,',
  'To begin with,',
  'Most of the time,',
] as const

/**
 * Harmless English-looking sentences, at least `bytes` long together; ASCII, one blank between sentences. The same draw
 * gives the same text.
 */
export function drawSentences(draw: Draw, bytes: Bytes): string {
  const sentences: string[] = []
  for (let length = 0; length < bytes; ) {
    const sentence = drawSentence(draw)
    sentences.push(sentence)
    length += sentence.length + 1
  }
  return sentences.join(' ')
}

/** One of several, each as likely as the next. */
export const pick = <T>(draw: Draw, from: readonly T[]): T => from[draw.below(from.length)] as T

function drawSentence(draw: Draw): string {
  const parts = [
    `the ${pick(draw, adjectives)} ${pick(draw, nouns)}`,
    pick(draw, verbs),
    `the ${pick(draw, adjectives)} ${pick(draw, nouns)}`,
  ]
  if (draw.unit() < 0.4) parts.push(`beside the ${pick(draw, nouns)}`)
  if (draw.unit() < 0.6) parts.push(pick(draw, endings).replaceAll('-', ' '))
  const opened = draw.unit() < 0.25
  const text = parts.join(' ')
  return opened ? `${pick(draw, openings)} ${text}.` : `T${text.slice(1)}.`
}
