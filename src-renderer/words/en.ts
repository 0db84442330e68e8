import { decisions } from './en/decisions'
import { events, field, suspicion } from './en/field'
import { banners, frame, notes, palette, shortcuts } from './en/frame'
import { chart, kit, states } from './en/kit'
import { overview } from './en/overview'
import { replicas } from './en/replicas'
import { timeline } from './en/timeline'
import { why } from './en/why'

/** Every string that a person reads, in English. A second language is a second file of this shape. */
export const words = {
  kit,
  states,
  chart,
  frame,
  banners,
  palette,
  shortcuts,
  notes,
  field,
  events,
  suspicion,
  overview,
  decisions,
  why,
  replicas,
  timeline,
} as const
