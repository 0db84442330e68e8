/** The course of a figure over its last minute: a line, its peak kept, and nothing where nothing was. Decoration beside a printed number. */
export function Spark({
  values,
  fromZero = true,
}: {
  /** Oldest first; null: no value then. */
  readonly values: readonly (number | null)[]
  readonly fromZero?: boolean
}) {
  const known = values.filter((value) => value !== null)
  if (known.length < 2) return <div aria-hidden="true" className="hatch h-6 w-full opacity-60" />
  const top = Math.max(...known)
  const bottom = fromZero ? Math.min(0, ...known) : Math.min(...known)
  const height = top - bottom || 1
  const at = (value: number, index: number) =>
    `${((index / (values.length - 1)) * 100).toFixed(2)} ${(22 - ((value - bottom) / height) * 20).toFixed(2)}`
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 100 24"
      preserveAspectRatio="none"
      className="h-6 w-full text-series-1"
    >
      <path
        d={pathOf(values, at)}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.25"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}

/** A path with a new start after every hole: no line is drawn over missing values. */
function pathOf(values: readonly (number | null)[], at: (value: number, index: number) => string): string {
  let pen = 'M'
  let path = ''
  for (const [index, value] of values.entries()) {
    if (value === null) pen = 'M'
    else {
      path += `${pen}${at(value, index)}`
      pen = 'L'
    }
  }
  return path
}
