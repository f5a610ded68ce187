// Tells the server how attempts ended.

import { setTimeout as sleep } from "node:timers/promises"
import type { Logger } from "./attempt.js"
import type { Client } from "./client.js"
import { isDenied, isRefused, OutlastError } from "./errors.js"
import type { Holding } from "./leases.js"
import { badEnd, settlement, type End } from "./outcome.js"
import { now, pauseAfter } from "./transport.js"

const mostSettled = 100 // in one call

interface Ended {
  holding: Holding
  end: End
  text: string
  bad: boolean
  told: () => void
}

/** Settles attempts, those together that end while a call is under way. */
export class Settler {
  #ended: Ended[] = []
  #settling = false

  constructor(private readonly client: Client, private readonly logger: Logger, private readonly fail: (error: unknown) => void) {}

  /** Resolves when the server knows, or cannot be told. */
  settle(holding: Holding, end: End): Promise<void> {
    return new Promise((told) => {
      this.#ended.push(ended(holding, end, told))
      if (!this.#settling) void this.#run().catch(this.fail)
    })
  }

  async #run(): Promise<void> {
    this.#settling = true
    await Promise.resolve() // what ends in this turn goes together
    while (this.#ended.length > 0) await this.#tell(this.#ended.splice(0, mostSettled))
    this.#settling = false
  }

  /** Tells of attempts. What the server refuses is told in halves, so that only what is wrong fails. */
  async #tell(some: Ended[]): Promise<void> {
    const refused = await this.#send(some)
    if (!refused) return
    const half = some.length >> 1
    if (half > 0) {
      await this.#tell(some.slice(0, half))
      await this.#tell(some.slice(half))
    } else if (!some[0]!.bad) {
      const { holding, end, told } = some[0]!
      await this.#tell([ended(holding, badEnd(`the server refuses how the attempt ended (${end.outcome}): ${refused.message}`), told)])
    } else this.#lost(some, refused)
  }

  /** Sends until the server has answered or the leases are over; the error is its refusal, which is for good. */
  async #send(some: Ended[]): Promise<OutlastError | undefined> {
    for (let failures = 0; ; ) {
      try {
        const results = await this.client.settleRaw(some.map((one) => one.text))
        some.forEach((one, i) => {
          const { status } = results[i]!
          if (status !== "ok") this.logger.warn("settle.refused", { task: one.holding.task.id, status, outcome: one.end.outcome })
          one.told()
        })
        return undefined
      } catch (error) {
        if (!(error instanceof OutlastError)) throw error
        if (isDenied(error)) {
          this.fail(error)
          this.#lost(some, error)
          return undefined
        }
        if (isRefused(error)) return error
        this.logger.warn("settle.failed", { tasks: some.length, error: error.message })
        const over = some.filter((one) => now() >= one.holding.lost)
        this.#lost(over, error)
        some = some.filter((one) => !over.includes(one))
        if (some.length === 0) return undefined
        const soonest = Math.min(...some.map((one) => one.holding.lost)) - now()
        await sleep(pauseAfter(Math.min(++failures, 10), error, Math.max(100, soonest / 2)))
      }
    }
  }

  #lost(some: Ended[], error: OutlastError): void {
    for (const one of some) {
      this.logger.error("settle.lost", { task: one.holding.task.id, outcome: one.end.outcome, error: error.message })
      one.told()
    }
  }
}

function ended(holding: Holding, end: End, told: () => void): Ended {
  const { id, claim } = holding.task
  return { holding, end, told, text: settlement(id, claim, end), bad: end.error?.code === "bad_result" }
}
