// A remote worker of Outlast, without dependencies. Node.js 18 or later.
//
//   const worker = new Worker("http://127.0.0.1:7070", { greet })
//   await worker.run()
//
// A handler is a function of the payload and the task, which may be async. What it
// returns is kept as the result: JSON of at most 64 KiB, anything else makes the
// attempt a permanent failure. What it throws is a failure, which the policy of the
// task retries. Retry, Snooze, Dead and Drop steer.
//
// What a handler returns or throws never harms another task. If the worker itself
// breaks, or its token is revoked, the process ends: its tasks run elsewhere when
// their leases have ended.

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

/** The server lets this worker do nothing: its token is not good. */
export class Denied extends Refused {}

const mostResult = 64 << 10 // bytes
const mostProgress = 4 << 10

export class Worker {
  #held = new Map() // of tasks by id
  #ended = [] // attempts whose end the server does not know yet
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
    const heartbeat = setInterval(() => this.#extend().catch(broken), (this.lease * 1000) / 3)
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
        const { tasks } = await this.#call("poll", JSON.stringify({
          worker: this.name, release: this.release, queues: this.queues, types: Object.keys(this.types),
          max: free, wait: "30s", lease: `${this.lease}s`,
        }), 60, this.#stop.signal)
        pause = 100
        for (const task of tasks) this.#attempt(task).catch(broken)
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
      result = succeeded(await this.types[task.type](task.payload, task))
    } catch (error) {
      result = ended(error)
    }
    this.#held.delete(task.id)
    this.#ended.push({ task, result })
    this.#settle()
    this.#wake()
  }

  async #extend() {
    const tasks = [...this.#held.values()]
    if (tasks.length === 0) return
    try {
      const results = await this.#extended(tasks.map(({ id, claim, progress }) => ({ id, claim, progress: shown(progress) })))
      results.forEach((answer, i) => answer.status === "ok" || tasks[i].abort())
    } catch (error) {
      if (error instanceof Refused) throw error // else: the next beat tries again
    }
  }

  async #extended(items) {
    const send = async (items) => (await this.#call("extend", JSON.stringify({ items, lease: `${this.lease}s` }), this.lease / 3)).results
    try {
      return await send(items)
    } catch (error) {
      if (!(error instanceof Refused) || error instanceof Denied) throw error
      warn(`no progress is shown: ${error.message}`) // it can only be some progress
      return send(items.map(({ id, claim }) => ({ id, claim })))
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
        await this.#tell(this.#ended.splice(0, 100), Date.now() + Math.max(this.lease, 30) * 1000)
      }
      this.#settles = false
    })().catch(broken)
  }

  /** Tells the server. Of what it refuses, only the attempt that is wrong fails. */
  async #tell(ended, until) {
    let refusal = await this.#refused(ended, until)
    if (refusal === undefined) return
    if (ended.length > 1) {
      const half = ended.length >> 1
      await this.#tell(ended.slice(0, half), until)
      await this.#tell(ended.slice(half), until)
      return
    }
    const [{ task }] = ended
    refusal = await this.#refused([{ task, result: unsendable(`the server refuses how the attempt ended: ${refusal}`) }], until)
    if (refusal !== undefined) warn(`task ${task.id} runs again when its lease has ended: ${refusal}`)
  }

  /** Sends, again and again while the server is away, and returns its refusal, if it is one. */
  async #refused(ended, until) {
    const items = ended.map(({ task, result }) => `{"id":"${task.id}","claim":${task.claim},${result.slice(1)}`)
    const body = `{"results":[${items.join()}]}`
    for (let pause = 100; ; pause = Math.min(2 * pause, 5000)) {
      try {
        await this.#call("settle", body, 30) // safe to repeat
        return
      } catch (error) {
        if (error instanceof Denied) throw error
        if (error instanceof Refused) return error.message
        if (Date.now() >= until) {
          warn(`${ended.length} tasks run again, since the server cannot be told that they ended: ${error.message}`)
          return
        }
        await sleep(pause)
      }
    }
  }

  async #call(path, body, seconds, signal) {
    const headers = { "Content-Type": "application/json" }
    if (this.token) headers.Authorization = `Bearer ${this.token}`
    const aborter = new AbortController()
    const abort = () => aborter.abort()
    const timer = setTimeout(abort, Math.ceil(seconds * 1000))
    signal?.addEventListener("abort", abort)
    try {
      const answer = await fetch(`${this.server}/v1/workers/${path}`, { method: "POST", headers, body, signal: aborter.signal })
      const { status } = answer
      if (status >= 500 || status === 408 || status === 429) throw new Error(`the server is busy: ${status}`)
      if (status === 401 || status === 403) throw new Denied(await answer.text())
      if (!answer.ok) throw new Refused(await answer.text())
      return await answer.json()
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener("abort", abort)
    }
  }
}

function warn(text) {
  console.error(`outlast worker: ${text}`)
}

/** A worker that cannot tell how tasks ended must not go on taking them. */
function broken(error) {
  console.error(error)
  warn("stopped at once; what it had runs elsewhere when the leases have ended")
  process.exit(1)
}

/** The JSON form of a value; JSON.stringify would make null of a NaN. */
function encode(value) {
  return JSON.stringify(value ?? null, (_, part) => {
    if (typeof part === "number" && !Number.isFinite(part)) throw new TypeError(`${part} has no JSON form`)
    return part
  })
}

/** What the server is told of an attempt that came back, as JSON. */
function succeeded(value) {
  let text
  try {
    text = encode(value)
  } catch (error) { // a BigInt, a cycle, NaN
    return unsendable(`the result has no JSON form: ${textOf(error)}`)
  }
  if (text === undefined) return unsendable(`the result has no JSON form: a ${typeof value}`)
  const size = Buffer.byteLength(text)
  if (size > mostResult) return unsendable(`the result has ${size} bytes; ${mostResult} are the limit`)
  return `{"outcome":"succeeded","result":${text}}`
}

/** Doing the work again would change nothing: the failure is permanent. */
function unsendable(why) {
  return JSON.stringify({ outcome: "failed", error: { message: plain(why), category: "permanent", code: "bad_result" } })
}

/** Progress that can be sent. */
function shown(progress) {
  try {
    return Buffer.byteLength(encode(progress)) <= mostProgress ? progress : undefined
  } catch {
    return undefined
  }
}

/** What the server is told of an attempt that threw, as JSON. */
function ended(error) {
  try {
    return JSON.stringify(described(error))
  } catch (failure) { // even an error that cannot be described
    return unsendable(`how the attempt ended cannot be told: ${textOf(failure)}`)
  }
}

function described(error) {
  if (error instanceof Snooze) return { outcome: "snoozed", retry_after: `${error.seconds}s` }
  if (error instanceof Retry) return { outcome: "failed", retry_after: `${error.seconds}s`, error: errorOf(error) }
  const cause = error?.cause ?? error
  if (error instanceof Dead) return { outcome: "dead", error: errorOf(cause) }
  if (error instanceof Drop) return { outcome: "canceled", error: errorOf(cause) }
  return { outcome: "failed", error: errorOf(error) }
}

function errorOf(error) {
  return {
    message: textOf(error), type: plain(error?.code ?? error?.constructor?.name ?? "Error"),
    stack: plain(error?.stack ?? "", 8000),
  }
}

function textOf(error) {
  try {
    return plain(error?.message || error)
  } catch {
    return "an error that cannot be printed"
  }
}

/** The server takes neither NUL nor halves of surrogate pairs. */
function plain(text, most = 16000) {
  return String(text).slice(0, most).replace(/\0|\p{Surrogate}/gu, "\ufffd")
}
