// The thread that extends leases. It has an event loop of its own, so that a handler that keeps the other one busy
// does not lose its task, nor that of others.

import { workerData, type MessagePort } from "node:worker_threads"
import { Client } from "./client.js"
import { isDenied, isRefused } from "./errors.js"
import { now, type Address } from "./transport.js"
import type { ExtendItem, ExtendResult } from "./types.js"
import { keyOf, Raw } from "./wire.js"

/** What the thread is told. */
export type Order =
  | { do: "hold"; id: string; claim: number; since: number }
  | { do: "show"; id: string; claim: number; progress: string }
  | { do: "drop"; id: string; claim: number }

/** What it tells: `sent` is before the call, `done` after it. */
export interface Told {
  items: { id: string; claim: number }[]
  sent: number
  done: number
  results?: ExtendResult[]
  failure?: { message: string; denied: boolean }
}

/** What it is made of. */
export interface Extending {
  address: Address
  lease: number
  port: MessagePort
}

interface Held extends ExtendItem {
  since: number // the monotonic time from which the lease counts, at the latest
  busy: boolean
}

const mostItems = 1000

function run({ address, lease, port }: Extending): void {
  const client = new Client({ ...address, token: address.token ?? "", timeout: lease / 3, tryTimeout: lease / 3 })
  const held = new Map<string, Held>()

  port.on("message", (order: Order) => {
    if (order.do === "hold") {
      held.set(keyOf(order), { id: order.id, claim: order.claim, since: order.since, busy: false })
      if (due(order)) extendDue() // its poll took long
    } else if (order.do === "drop") held.delete(keyOf(order))
    else {
      const item = held.get(keyOf(order))
      if (item) item.progress = new Raw(order.progress)
    }
  })
  const due = (item: { since: number }) => now() - item.since >= lease / 3
  const extendDue = () => {
    const items = [...held.values()].filter((item) => !item.busy && due(item))
    for (let i = 0; i < items.length; i += mostItems) void extend(items.slice(i, i + mostItems))
  }
  const extend = async (items: Held[]) => {
    for (const item of items) item.busy = true
    const sent = now()
    const told: Told = { items: items.map(({ id, claim }) => ({ id, claim })), sent, done: sent }
    try {
      told.results = await send(items)
      for (const item of items) item.since = sent
    } catch (error) {
      told.failure = { message: (error as Error).message, denied: isDenied(error) }
    }
    told.done = now()
    for (const item of items) item.busy = false
    port.postMessage(told)
  }
  const send = async (items: Held[]) => {
    const given = (item: Held) => ({ id: item.id, claim: item.claim, progress: item.progress })
    try {
      return await client.extend(items.map(given), lease)
    } catch (error) {
      if (!isRefused(error)) throw error
      return client.extend(items.map(({ id, claim }) => ({ id, claim })), lease) // it can only be some progress
    }
  }
  setInterval(extendDue, lease / 6)
}

// The file is imported for its types, too: that starts nothing.
const extending = workerData as Partial<Extending> | null
if (extending?.port && extending.address) run(extending as Extending)
