// A remote worker of Outlast, without dependencies. Node.js 18 or later.
//
//   const worker = new Worker("http://127.0.0.1:7070", { greet })
//   await worker.run()
//
// A handler is a function of the payload and the task, which may be async. What it
// returns is kept as the result; what it throws is a failure, which the policy of
// the task retries. Retry, Snooze, Dead and Drop steer.

import { hostname } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"

/** The attempt failed; the next one starts after so many seconds. */
export class Retry extends Error {
  constructor(seconds, message = "try again") {
    super(message)
    this.seconds = seconds
  }
}

/** Run again after so many seconds. It is no failure and costs no attempt. */
export class Snooze extends Error {
  constructor(seconds) {
    super("snoozed")
    this.seconds = seconds
  }
}

/** Ends the task now as a dead letter. */
export class Dead extends Error {}

/** Ends the task now as canceled: it is no longer wanted. */
export class Drop extends Error {}

/** The server refuses a request, and would do so again. */
export class Refused extends Error {}

const busy = new Set([429, 502, 503, 504])

export class Worker {
  #held = new Map() // of tasks by id
  #ended = [] // results that the server does not know yet
  #stop = new AbortController()
  #wake = () => {}

  constructor(server, types, { queues = ["default"], concurrency = 8, lease = 30, name, token, release } = {}) {
    Object.assign(this, { server: server.replace(/\/$/, ""), types, queues, concurrency, lease, token })
    this.release = release ?? process.env.OUTLAST_RELEASE // of the program, for statistics
    this.name = name ?? `node-${hostname().replace(/[^A-Za-z0-9.-]/g, "-").slice(0, 40)}-${process.pid}`
  }

  /** Works until stop is called or a signal comes; running attempts may finish. */
  async run() {
    const stop = () => this.stop()
    process.once("SIGTERM", stop).once("SIGINT", stop)
    const heartbeat = setInterval(() => this.#extend(), (this.lease * 1000) / 3)
    try {
      await this.#poll()
      while (this.#held.size > 0) await this.#change()
      await this.#settling
    } finally {
      clearInterval(heartbeat)
      process.off("SIGTERM", stop).off("SIGINT", stop)
    }
  }

  stop() {
    this.#stop.abort()
    this.#wake()
  }

  /** Waits until an attempt ends, or the worker is to stop. */
  #change() {
    return new Promise((resolve) => (this.#wake = resolve))
  }

  async #poll() {
    for (let pause = 100; !this.#stop.signal.aborted; ) {
      const free = this.concurrency - this.#held.size
      if (free === 0) {
        await this.#change()
        continue
      }
      try {
        const { tasks } = await this.#call("poll", {
          worker: this.name, release: this.release, queues: this.queues, types: Object.keys(this.types),
          max: free, wait: "30s", lease: `${this.lease}s`,
        }, 60, this.#stop.signal)
        pause = 100
        for (const task of tasks) this.#attempt(task)
      } catch (error) {
        if (this.#stop.signal.aborted) return
        if (error instanceof Refused) throw error
        await sleep(pause) // the server is away; it will be back
        pause = Math.min(2 * pause, 5000)
      }
    }
  }

  async #attempt(fields) {
    const aborter = new AbortController()
    const task = { ...fields, progress: undefined, signal: aborter.signal, abort: () => aborter.abort() }
    this.#held.set(task.id, task)
    let result
    try {
      result = { outcome: "succeeded", result: (await this.types[task.type](task.payload, task)) ?? null }
    } catch (error) {
      result = ended(error)
    }
    this.#held.delete(task.id)
    this.#ended.push({ id: task.id, claim: task.claim, ...result })
    this.#settle()
    this.#wake()
  }

  async #extend() {
    const tasks = [...this.#held.values()]
    if (tasks.length === 0) return
    const items = tasks.map(({ id, claim, progress }) => ({ id, claim, progress }))
    try {
      const { results } = await this.#call("extend", { items, lease: `${this.lease}s` }, this.lease / 3)
      results.forEach((answer, i) => answer.status === "ok" || tasks[i].abort())
    } catch (error) {
      if (error instanceof Refused) throw error // else: the next beat tries again
    }
  }

  #settling = Promise.resolve()
  #settles = false

  /** Tells the server how attempts ended, those that end meanwhile with the next call. */
  #settle() {
    if (this.#settles) return
    this.#settles = true
    this.#settling = (async () => {
      while (this.#ended.length > 0) {
        const results = this.#ended.splice(0, 100)
        const until = Date.now() + Math.max(this.lease, 30) * 1000
        for (let pause = 100; Date.now() < until; pause = Math.min(2 * pause, 5000)) {
          try {
            await this.#call("settle", { results }, 30) // safe to repeat
            break
          } catch (error) {
            if (error instanceof Refused) throw error
            await sleep(pause)
          }
        }
      }
      this.#settles = false
    })()
  }

  async #call(path, body, seconds, signal) {
    const headers = { "Content-Type": "application/json" }
    if (this.token) headers.Authorization = `Bearer ${this.token}`
    const limit = AbortSignal.timeout(Math.ceil(seconds * 1000))
    const answer = await fetch(`${this.server}/v1/workers/${path}`, {
      method: "POST", headers, body: JSON.stringify(body), signal: signal ? anyOf(signal, limit) : limit,
    })
    if (busy.has(answer.status)) throw new Error(`the server is busy: ${answer.status}`)
    if (!answer.ok) throw new Refused(await answer.text())
    return answer.json()
  }
}

/** AbortSignal.any is younger than Node.js 18. */
function anyOf(...signals) {
  const aborter = new AbortController()
  for (const signal of signals) {
    if (signal.aborted) aborter.abort(signal.reason)
    signal.addEventListener("abort", () => aborter.abort(signal.reason), { once: true })
  }
  return aborter.signal
}

/** What the server is told of an attempt that threw. */
function ended(error) {
  if (error instanceof Snooze) return { outcome: "snoozed", retry_after: `${error.seconds}s` }
  if (error instanceof Retry) return { outcome: "failed", retry_after: `${error.seconds}s`, error: described(error) }
  const cause = error?.cause ?? error
  if (error instanceof Dead) return { outcome: "dead", error: described(cause) }
  if (error instanceof Drop) return { outcome: "canceled", error: described(cause) }
  return { outcome: "failed", error: described(error) }
}

function described(error) {
  return {
    message: String(error?.message || error), type: error?.code ?? error?.constructor?.name ?? "Error",
    stack: String(error?.stack ?? "").slice(0, 8000),
  }
}
