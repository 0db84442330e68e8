import type { ComponentType } from 'react'

/** A view, or a kind of drawer that it brings along. */
export interface View {
  /** Its name in addresses: `#/decisions`. */
  readonly id: string
  readonly title: string
  /** Place in the navigation, rising. */
  readonly order: number
  /** The key after `g` that goes to it. */
  readonly goKey: string
  readonly icon: ComponentType<{ readonly className?: string }>
  readonly Component: ComponentType
  /** Spans of time that it can show, ms; none: the view has no live range of its own. */
  readonly spansMs: readonly number[]
  /** Shows what is selected, in whichever view it was selected: `sel=<kind>:<id>`. */
  readonly drawer?: {
    readonly kind: string
    readonly Component: ComponentType<{ readonly id: string; readonly onClose: () => void }>
  }
}

/** Types the description of a view; returns it unchanged. */
export const defineView = (view: View): View => view
