import { runIngestProcess } from './shells/ingest-process'

runIngestProcess()
