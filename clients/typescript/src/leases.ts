// The leases of what a worker has in hand.

import { MessageChannel, receiveMessageOnPort, Worker as Thread, type MessagePort } from "node:worker_threads"
import type { Extending, Order, Told } from "./extender.js"
import { CanceledError, LeaseLostError } from "./outcome.js"
import { now, type Address } from "./transport.js"
import type { LeasedTask } from "./types.js"
import { keyOf } from "./wire.js"

/** A task in hand. Times are of the monotonic clock of this process. */
export class Holding {
  readonly aborter = new AbortController()
  /** Until then nobody else runs the task: the lease counts from before it was asked for. */
  sure: number
  /** From then on the lease is over, whatever was lost on the way. */
  lost: number
  /** Gives up on the handler. */
  abandon = () => {}

  constructor(readonly task: LeasedTask, asked: number, given: number, lease: number) {
    this.sure = asked + lease
    this.lost = given + lease
  }
}

/** Extends leases by a thread, and aborts what loses them. */
export class Leases {
  readonly #held = new Map<string, Holding>()
  readonly #thread: Thread
  readonly #port: MessagePort
  readonly #clock: NodeJS.Timeout
  #ended = false

  /** `fail` is called when leases can be kept no longer. */
  constructor(address: Address, private readonly lease: number, private readonly warn: (message: string, fields: object) => void, private readonly fail: (error: Error) => void) {
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#port.on("message", (told: Told) => this.#hear(told))
    const workerData: Extending = { address, lease, port: port2 }
    this.#thread = new Thread(new URL("./extender.js", import.meta.url), { workerData, transferList: [port2], name: "outlast-leases" })
    this.#thread.on("error", (error: Error) => this.#dead(error))
    this.#thread.on("exit", () => this.#dead(undefined))
    this.#clock = setInterval(() => this.#look(), lease / 6)
  }

  #dead(cause: Error | undefined): void {
    if (!this.#ended) this.fail(new Error("the thread that extends leases died", { cause }))
  }

  hold(holding: Holding): void {
    const { id, claim } = holding.task
    this.#held.set(keyOf(holding.task), holding)
    this.#tell({ do: "hold", id, claim, since: holding.sure - this.lease })
  }

  show(holding: Holding, progress: string): void {
    this.#tell({ do: "show", id: holding.task.id, claim: holding.task.claim, progress })
  }

  drop(holding: Holding): void {
    const { id, claim } = holding.task
    this.#held.delete(keyOf(holding.task))
    this.#tell({ do: "drop", id, claim })
  }

  #tell(order: Order): void {
    this.#port.postMessage(order)
  }

  #hear(told: Told): void {
    if (told.failure) {
      this.warn("extend.failed", { tasks: told.items.length, error: told.failure.message })
      if (told.failure.denied) this.fail(new Error(`the server lets this worker extend no leases: ${told.failure.message}`))
    }
    told.items.forEach((item, i) => {
      const holding = this.#held.get(keyOf(item))
      if (!holding) return
      const status = told.results?.[i]?.status
      if (status === "stale_claim" || status === "not_found") {
        this.#tell({ do: "drop", ...item })
        holding.aborter.abort(new LeaseLostError(`the task is not this worker's any more: ${status}`))
        return
      }
      if (status === "ok" || status === "canceled") holding.sure = Math.max(holding.sure, told.sent + this.lease)
      // An answer that was lost may have been a yes; once the lease is over none can be.
      if (told.sent < holding.sure) holding.lost = Math.max(holding.lost, told.done + this.lease)
      if (status === "canceled") holding.aborter.abort(new CanceledError("the task was canceled"))
    })
  }

  /** Aborts what nobody has said for a whole lease is still ours. */
  #look(): void {
    for (let told; (told = receiveMessageOnPort(this.#port)); ) this.#hear(told.message as Told) // a busy handler may have kept it waiting
    for (const holding of this.#held.values()) {
      if (now() >= holding.sure) holding.aborter.abort(new LeaseLostError("the lease could not be extended in time"))
    }
  }

  async end(): Promise<void> {
    this.#ended = true
    clearInterval(this.#clock)
    this.#port.close()
    await this.#thread.terminate()
  }
}
