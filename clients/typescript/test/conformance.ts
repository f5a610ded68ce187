// A worker for the conformance kit (clients/conformance).

import { Client, GiveUp, Snooze, Worker, type Context } from "../src/index.js"

const { OUTLAST_SERVER, OUTLAST_KIT_LEASE, OUTLAST_KIT_GRACE } = process.env

/** Says what a handler does; the answer may be that it is to end. */
async function tell({ id, task }: Context, event: string): Promise<string> {
  return (await fetch(`${OUTLAST_SERVER}/kit/${event}/${id}/${task.claim}`, { method: "POST" })).text()
}

const worker = new Worker(new Client(), {
  async echo(payload, context) {
    await tell(context, "started")
    return payload
  },
  async fail(payload: string, context) {
    await tell(context, "started")
    throw new Error(payload)
  },
  async reject(_, context) {
    await tell(context, "started")
    throw new GiveUp("nobody can do it")
  },
  async snooze(_, context) {
    await tell(context, "started")
    throw new Snooze("5s")
  },
  async bad(_, context) {
    await tell(context, "started")
    return Number.NaN
  },
  async slow(payload, context) {
    await tell(context, "started")
    while ((await tell(context, "working")) !== "end") {
      await new Promise((resolve) => setTimeout(resolve, 100))
      if (context.signal.aborted) {
        await tell(context, "stopped")
        throw context.signal.reason
      }
    }
    return payload
  },
  async steps(_, context) {
    await tell(context, "started")
    const step = (name: string) => context.step(name, async () => {
      await tell(context, `step-${name}`)
      return name
    })
    return [await step("one"), await step("two")]
  },
}, { concurrency: 4, lease: `${OUTLAST_KIT_LEASE}s`, grace: `${OUTLAST_KIT_GRACE}s`, logger: console })
await worker.run({ stopOn: ["SIGTERM"] })
