import { randomUUID } from "node:crypto"
import http from "node:http"
import https from "node:https"
import { setTimeout as sleep } from "node:timers/promises"
import { errorOf, garbled, invalid, isCertificate, isPassing, type OutlastError, type Problem } from "./errors.js"
import { fromWire, milliseconds } from "./wire.js"

/** Where a server is and how to speak to it: plain data, which a thread can be given. */
export interface Address {
  server: string
  token?: string
  /** Certificate authorities in PEM, in place of the system's. */
  ca?: string
  userAgent: string
}

/** One call. */
export interface Call {
  method: "GET" | "POST"
  path: string
  body?: string
  /** Milliseconds for all tries together. */
  timeout: number
  /** Milliseconds for one of them. */
  tryTimeout: number
  /** A repeat could do harm, or would be refused. */
  once?: boolean
  /** The list that the answer has, and how long it is. */
  list?: { name: string; length?: number }
  /** Ends the call. */
  signal?: AbortSignal | undefined
  /** Ends the asking: the server answers at once, and the answer is read. */
  hangUp?: AbortSignal
}

export interface Answer {
  status: number
  body: unknown
}

const mostTries = 4
const longestPause = 5000
const mostAnswer = 64 << 20
const lastWords = 5000 // milliseconds for an answer after hanging up

/** Milliseconds of the monotonic clock, the same in all threads of the process. */
export function now(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000
}

/** The wait before the next try: full jitter, but at least what the server asked for, and at most `most`. */
export function pauseAfter(attempt: number, error: OutlastError, most = Infinity): number {
  return Math.min(most, Math.max(Math.random() * Math.min(longestPause, 100 * 2 ** (attempt - 1)), error.retryAfter ?? 0))
}

export class Transport {
  readonly #base: URL
  readonly #agent: http.Agent
  readonly #send: typeof http.request

  constructor(readonly address: Address) {
    let base: URL
    try {
      base = new URL(address.server)
    } catch {
      throw invalid("server", `${JSON.stringify(address.server)} is not the URL of a server; write it as http://127.0.0.1:7070`)
    }
    if (!/^https?:$/.test(base.protocol) || base.username || base.search || base.hash) {
      throw invalid("server", `${JSON.stringify(address.server)} is not the URL of a server; write it as http://127.0.0.1:7070`)
    }
    this.#base = base
    this.#send = base.protocol === "https:" ? https.request : http.request
    this.#agent = base.protocol === "https:"
      ? new https.Agent({ keepAlive: true, ...(address.ca === undefined ? {} : { ca: address.ca }) })
      : new http.Agent({ keepAlive: true })
  }

  /** Closes idle connections. */
  close(): void {
    this.#agent.destroy()
  }

  /** Makes a call, again if its answer was lost and a repeat is safe, within its time. */
  async call(call: Call): Promise<Answer> {
    const end = now() + call.timeout
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#try(call, Math.min(call.tryTimeout, end - now()))
      } catch (error) {
        if (call.once || attempt >= mostTries || !isPassing(error)) throw error
        const pause = pauseAfter(attempt, error)
        if (now() + pause >= end) throw error
        await sleep(pause, undefined, { signal: call.signal })
      }
    }
  }

  async #try(call: Call, timeout: number): Promise<Answer> {
    const requestId = randomUUID()
    let answer: { status: number; headers: http.IncomingHttpHeaders; text: string }
    try {
      answer = await this.#exchange(call, timeout, requestId)
    } catch (error) {
      if (call.signal?.aborted) throw call.signal.reason
      throw this.#lost(error as NodeJS.ErrnoException, requestId)
    }
    let body: unknown
    try {
      body = JSON.parse(answer.text)
    } catch {
      body = undefined
    }
    if (answer.status >= 200 && answer.status < 300 && isExpected(body, call.list)) return { status: answer.status, body: fromWire(body) }
    throw errorOf(problemOf(answer, body, requestId))
  }

  #exchange(call: Call, timeout: number, requestId: string): Promise<{ status: number; headers: http.IncomingHttpHeaders; text: string }> {
    const { token, userAgent } = this.address
    return new Promise((resolve, reject) => {
      const headers: http.OutgoingHttpHeaders = { "User-Agent": userAgent, "X-Request-Id": requestId, Accept: "application/json" }
      if (token) headers["Authorization"] = `Bearer ${token}`
      if (call.body !== undefined) Object.assign(headers, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(call.body) })
      const path = this.#base.pathname.replace(/\/$/, "") + call.path
      const request = this.#send(this.#base, { method: call.method, path, headers, agent: this.#agent, signal: call.signal }, (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk)
          if ((size += chunk.length) > mostAnswer) response.destroy(new Error(`an answer of more than ${mostAnswer} bytes`))
        })
        response.on("end", () => {
          if (response.complete) resolve({ status: response.statusCode!, headers: response.headers, text: Buffer.concat(chunks).toString() })
        })
        response.on("close", () => reject(new Error("the answer was cut off"))) // after end: too late to matter
        response.on("error", reject)
      })
      // The server sees that nobody asks any more, hands back what it was about to give, and answers.
      const hangUp = () => {
        if (request.writableFinished) request.socket?.end()
        else request.destroy(new Error("the call was ended"))
        last = setTimeout(() => request.destroy(new Error("no answer after the call was ended")), lastWords)
      }
      const timer = setTimeout(() => request.destroy(new Error(`no answer within ${Math.round(timeout)} ms`)), Math.max(0, timeout))
      let last: NodeJS.Timeout | undefined
      request.on("error", reject)
      request.on("close", () => {
        clearTimeout(timer)
        clearTimeout(last)
        call.hangUp?.removeEventListener("abort", hangUp)
      })
      call.hangUp?.addEventListener("abort", hangUp, { once: true })
      request.end(call.body)
    })
  }

  #lost(error: NodeJS.ErrnoException, requestId: string): OutlastError {
    const why = error.message || error.code || (error as unknown as AggregateError).errors?.[0]?.message || "no reason given"
    const certificate = isCertificate(error)
    return errorOf({
      code: "unavailable", status: 0, title: "Not available now", requestId,
      detail: certificate ? `the certificate of ${this.#base.host} is not good: ${why}` : `the server at ${this.#base.host} does not answer: ${why}`,
      hint: certificate ? "name its authority with caFile or OUTLAST_CA_FILE" : "is it running? `outlast serve` starts one",
    }, { cause: error })
  }
}

function isExpected(body: unknown, list: Call["list"]): boolean {
  if (typeof body !== "object" || body === null) return false
  const given = list && (body as Record<string, unknown>)[list.name]
  return !list || (Array.isArray(given) && (list.length === undefined || given.length === list.length))
}

/** A problem as the API writes it. */
export type GivenProblem = Omit<Problem, "retryAfter"> & { retryAfter?: string }

export function problemFrom({ retryAfter, ...rest }: GivenProblem): Problem {
  return retryAfter === undefined ? rest : { ...rest, retryAfter: milliseconds(retryAfter) }
}

function problemOf(answer: { status: number; headers: http.IncomingHttpHeaders; text: string }, body: unknown, requestId: string): Problem {
  const given = fromWire(body) as GivenProblem | undefined
  const problem: Problem = typeof given?.code === "string" && answer.status >= 400
    ? { ...problemFrom(given), status: answer.status }
    : {
        code: [502, 503, 504].includes(answer.status) ? "unavailable" : garbled, status: answer.status, title: "Not the answer of a server",
        detail: `the answer is not that of an Outlast server: ${answer.status} ${JSON.stringify(answer.text.slice(0, 80))}`,
      }
  problem.requestId = headerOf(answer.headers, "x-request-id") ?? requestId
  const seconds = Number(headerOf(answer.headers, "retry-after") ?? Number.NaN)
  if (problem.retryAfter === undefined && seconds >= 0) problem.retryAfter = seconds * 1000
  return problem
}

function headerOf(headers: http.IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}
