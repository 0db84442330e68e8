import { Copy } from 'lucide-react'
import { words } from '../../words/en'
import { Button } from '../button'
import { Dialog } from '../dialog'
import { DataTable } from '../table/data-table'
import type { ChartModel, Point } from './model'

/** The figures of a chart as a table, newest first; copied as CSV with raw numbers and UTC times. */
export function ChartData({ model, onClose }: { readonly model: ChartModel; onClose(): void }) {
  return (
    <Dialog title={`${model.title} (${model.unit})`} open onClose={onClose} wide>
      <div className="flex flex-col gap-3">
        <div>
          <Button icon={Copy} onClick={() => void navigator.clipboard.writeText(csvOf(model))}>
            {words.chart.copyCsv}
          </Button>
        </div>
        <div className="max-h-[50vh] overflow-auto">
          <DataTable<Point>
            label={model.title}
            rows={[...model.points].reverse()}
            keyOf={({ atMs }) => String(atMs)}
            columns={[
              {
                id: 'time',
                title: words.chart.time,
                width: '8rem',
                cell: ({ atMs }) => model.writeTime(atMs),
              },
              ...model.series.map(({ id, title }) => ({
                id,
                title,
                width: 'minmax(5rem, 1fr)',
                align: 'right' as const,
                cell: ({ values }: Point) => {
                  const value = values[id]
                  return value == null ? '—' : model.write(value)
                },
              })),
            ]}
          />
        </div>
      </div>
    </Dialog>
  )
}

/** Raw numbers, units and environment in the heading, times as ISO 8601 in UTC. */
export function csvOf(model: ChartModel): string {
  const mark = model.watermark === null ? '' : ` ${model.watermark}`
  const head = [`time (UTC)${mark}`, ...model.series.map(({ title }) => `${title} (${model.unit})`)]
  const lines = model.points.map(({ atMs, values }) => [
    new Date(atMs).toISOString(),
    ...model.series.map(({ id }) => values[id] ?? ''),
  ])
  return [head, ...lines].map((cells) => cells.map(csvCell).join(',')).join('\r\n')
}

const csvCell = (cell: string | number) => {
  const text = String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
