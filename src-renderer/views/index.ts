import { createRegistry } from '../../src-main/base/registry'
import type { View } from './view'

const found = import.meta.glob<{ default: View }>('./*/*.view.tsx', { eager: true })

/** Every view there is; a new one is a new folder with `<id>.view.tsx`, and its words. */
const registry = createRegistry(
  'view',
  Object.values(found).map((module) => module.default),
)

/** The views in the order of the navigation. */
export const views: readonly View[] = [...registry.all()].sort((a, b) => a.order - b.order)

/** The view of an id, or the first. */
export const viewOf = (id: string): View => registry.find(id) ?? (views[0] as View)
