import { ListTree } from 'lucide-react'
import { clauseOf } from '../../field/clause'
import { suspects } from '../../field/suspicion'
import { visible } from '../../format/visible'
import { Button } from '../../kit/button'
import { Drawer } from '../../kit/drawer'
import { Empty, Loading } from '../../kit/states'
import { Tabs } from '../../kit/tabs'
import { useShownNow } from '../../state/use-now'
import { usePage } from '../../state/use-page'
import { useFeed } from '../../state/use-store'
import { words } from '../../words/en'
import { DecisionMix } from './decision-mix'
import { ReplicaEvents } from './replica-events'
import { ReplicaNow } from './replica-now'

const text = words.replicas

/** One replica: how it is now, why it is picked, what happened to it. */
export function ReplicaDrawer({ id, onClose }: { readonly id: string; onClose(): void }) {
  const { places } = usePage()
  const fleet = useFeed('fleet', 500)
  const summary = useFeed('summary', 1_000)
  const now = useShownNow()
  const suspect = suspects(fleet, summary, now.monoMs).find(({ replica }) => replica.replica.id === id)
  const nowTab = suspect ? (
    <ReplicaNow suspect={suspect} sources={fleet?.sources ?? []} />
  ) : fleet ? (
    <Empty title={visible(id)} hint={text.now.gone} />
  ) : (
    <Loading waitingFor={text.waitingFor} />
  )
  return (
    <Drawer
      title={text.drawerTitle(visible(id))}
      onClose={onClose}
      footer={
        <Button
          icon={ListTree}
          onClick={() => places.go({ view: 'decisions', params: { q: clauseOf('replica', id) } })}
        >
          {text.showDecisions}
        </Button>
      }
    >
      <Tabs
        key={id}
        label={text.drawerTitle(visible(id))}
        tabs={[
          { id: 'now', title: text.tabs.now, content: nowTab },
          { id: 'why', title: text.tabs.why, content: <DecisionMix replicaId={id} /> },
          { id: 'events', title: text.tabs.events, content: <ReplicaEvents replicaId={id} /> },
        ]}
      />
    </Drawer>
  )
}
