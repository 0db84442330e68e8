import { ToggleGroup } from 'radix-ui'

/** One choice of a few, all of them in sight. */
export function Segments<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string
  /** Null: none of them. */
  readonly value: Value | null
  readonly options: readonly { readonly value: Value; readonly title: string }[]
  onChange(value: Value): void
}) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value ?? ''}
      onValueChange={(next) => {
        const option = options.find((each) => each.value === next)
        if (option) onChange(option.value)
      }}
      className="inline-flex overflow-hidden rounded-control border border-control"
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          value={option.value}
          className="min-h-6 border-control px-2 text-13 text-muted not-first:border-l hover:bg-hover data-[state=on]:bg-hover data-[state=on]:font-strong data-[state=on]:text-ink focus-visible:outline-offset-[-2px]"
        >
          {option.title}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
