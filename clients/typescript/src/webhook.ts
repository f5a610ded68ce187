// What Outlast calls: requests signed as Standard Webhooks wants it.

import { createHmac, timingSafeEqual } from "node:crypto"
import { milliseconds } from "./wire.js"
import type { Duration } from "./types.js"

/** The headers of a request: a `Headers`, or an object as that of node:http. */
export type HeaderSource = { get(name: string): string | null } | Record<string, string | readonly string[] | undefined>

/** A request of Outlast that is genuine. */
export interface Delivery<Payload = unknown> {
  /** Id of the task, the same in all attempts: whoever remembers it does nothing twice. */
  id: string
  timestamp: Date
  payload: Payload
  type: string | undefined
  /** From 1. */
  attempt: number
  maxAttempts: number | undefined
  /** Grows from run to run of a task: of two requests the one with the larger claim is newer. */
  claim: number
  key: string | undefined
  deadline: Date | undefined
}

/** The request is not genuine, or too old. Answer 401. */
export class WebhookError extends Error {
  override name = "WebhookError"
}

export interface WebhookOptions {
  /** How far the time of a request may be from that of this machine; 5 minutes when absent. */
  tolerance?: Duration
  /** The time, for tests. */
  now?: () => Date
}

/** Checks the signatures of requests. */
export class Webhook {
  readonly #keys: Buffer[]
  readonly #tolerance: number
  readonly #now: () => Date

  /** With several secrets each is good: give the old and the new one while they change. */
  constructor(secrets: string | readonly string[], options: WebhookOptions = {}) {
    this.#keys = (typeof secrets === "string" ? [secrets] : [...secrets]).map(keyOf)
    if (this.#keys.length === 0) throw new TypeError("there is no secret")
    this.#tolerance = milliseconds(options.tolerance ?? 300_000, "tolerance")
    this.#now = options.now ?? (() => new Date())
  }

  /** What a request says, if it is genuine. `body` is the body as it came, byte for byte. Throws a `WebhookError`. */
  verify<Payload = unknown>(body: string | Uint8Array, headers: HeaderSource): Delivery<Payload> {
    const get = (name: string) => headerOf(headers, name)
    const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => {
      const value = get(name)
      if (!value) throw new WebhookError(`the request has no header ${name}`)
      return value
    }) as [string, string, string]
    const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
    const off = this.#now().getTime() - seconds * 1000
    if (Number.isNaN(off)) throw new WebhookError("the header webhook-timestamp is no number of seconds")
    if (Math.abs(off) > this.#tolerance) throw new WebhookError(`the request is ${off > 0 ? "too old" : "from the future"}: ${new Date(seconds * 1000).toISOString()}`)
    const bytes = typeof body === "string" ? Buffer.from(body) : body
    const good = this.#keys.map((key) => signatureOf(key, id, timestamp, bytes))
    let genuine = false
    for (const given of signatures.split(" ")) for (const one of good) genuine = same(given, one) || genuine
    if (!genuine) throw new WebhookError("the signature of the request is not good")
    const deadline = get("outlast-deadline")
    return {
      id, timestamp: new Date(seconds * 1000), payload: payloadOf(bytes) as Payload,
      type: decoded(get("outlast-task-type")), key: decoded(get("outlast-key")),
      attempt: Number(get("outlast-attempt") ?? 1), claim: Number(get("outlast-claim") ?? 0),
      maxAttempts: get("outlast-max-attempts") === undefined ? undefined : Number(get("outlast-max-attempts")),
      deadline: deadline === undefined ? undefined : new Date(deadline),
    }
  }
}

function keyOf(secret: string): Buffer {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : undefined
  if (!key || key.length < 24 || key.length > 64) throw new TypeError("a signing secret is whsec_ and 24 to 64 bytes in base64")
  return key
}

function signatureOf(key: Buffer, id: string, timestamp: string, body: Uint8Array): string {
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`
}

/** The headers of a signed request, for tests of receivers. */
export function sign(secret: string, id: string, timestamp: Date, body: string | Uint8Array): Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string> {
  const seconds = String(Math.floor(timestamp.getTime() / 1000))
  const signature = signatureOf(keyOf(secret), id, seconds, typeof body === "string" ? Buffer.from(body) : body)
  return { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": signature }
}

function same(given: string, good: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(good)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function headerOf(headers: HeaderSource, name: string): string | undefined {
  if (typeof headers.get === "function") return (headers as { get(name: string): string | null }).get(name) ?? undefined
  for (const [given, value] of Object.entries(headers as Record<string, string | readonly string[] | undefined>)) {
    if (given.toLowerCase() === name) return typeof value === "object" ? value[0] : value
  }
  return undefined
}

/** What the server has percent-encoded. */
function decoded(value: string | undefined): string | undefined {
  try {
    return value === undefined ? undefined : decodeURIComponent(value)
  } catch {
    return value
  }
}

/** The payload: JSON, else the bytes. */
function payloadOf(bytes: Uint8Array): unknown {
  try {
    return bytes.length === 0 ? undefined : JSON.parse(Buffer.from(bytes).toString())
  } catch {
    return bytes
  }
}
