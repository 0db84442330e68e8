import type { Millis } from '../../../src-main/base/units'

/** The spans that the timeline can show: the cluster's story is rare and kept long. */
export const timelineSpansMs: readonly Millis[] = [900_000, 3_600_000, 21_600_000, 86_400_000]
