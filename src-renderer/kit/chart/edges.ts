/** Where the drawing area of a chart lies within it, px: shared by the drawing and by what lies over it. */
export const plotEdges = {
  top: 22,
  right: 10,
  bottom: 0,
  left: 0,
  axisWidth: 52,
  axisHeight: 20,
} as const

/** Distance of the drawing area from the chart's left edge, px. */
export const plotLeft = plotEdges.left + plotEdges.axisWidth
/** Distance of the drawing area from the chart's bottom edge, px. */
export const plotBottom = plotEdges.bottom + plotEdges.axisHeight
