// Between the names of this package (camelCase, Date) and those of the HTTP API.

import { invalid } from "./errors.js"
import type { Duration } from "./types.js"

/** The JSON form of a value; JSON.stringify would make null of NaN, and nothing of a function. */
export function encode(value: unknown): string {
  const text = JSON.stringify(value ?? null, (_, part: unknown) => {
    if (typeof part === "number" && !Number.isFinite(part)) throw new TypeError(`${part} has no JSON form`)
    return part
  }) as string | undefined
  if (text === undefined) throw new TypeError(`a ${typeof value} has no JSON form`)
  return text
}

/** The JSON form of what was given under a name. */
export function textOf(value: unknown, path: string): string {
  try {
    return encode(value)
  } catch (error) {
    throw invalid(path, `has no JSON form: ${(error as Error).message}`)
  }
}

/** JSON that is sent as it stands. */
export class Raw {
  constructor(readonly text: string) {}
}

const units: Record<string, number> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** The milliseconds of a duration. */
export function milliseconds(duration: Duration, path = "duration"): number {
  if (typeof duration === "number") {
    if (!Number.isFinite(duration)) throw invalid(path, `is ${duration}, which is no number of milliseconds`)
    return duration
  }
  const parts = [...duration.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g)]
  if (parts.length === 0 || parts.map((part) => part[0]).join("") !== duration.replace(/^[+-]/, "")) {
    throw invalid(path, `is ${JSON.stringify(duration)}, which is no duration; write 1500, "1.5s" or "2h45m"`)
  }
  const sum = parts.reduce((total, [, count, unit]) => total + Number(count) * units[unit!]!, 0)
  return duration.startsWith("-") ? -sum : sum
}

/** A duration as the API has it. */
export function duration(given: Duration, path?: string): string {
  const ms = milliseconds(given, path)
  return typeof given === "string" ? given : `${Number(ms.toFixed(6))}ms`
}

const durations = new Set(["delay", "dedupeWindow", "timeout", "ttl", "wait", "lease", "retryAfter"])
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The text of a request: names of the first level become those of the API; what they hold stays as it is. */
export function toWire(fields: object): string {
  const parts: string[] = []
  for (const [name, value] of Object.entries(fields) as [string, unknown][]) {
    if (value === undefined) continue
    let text: string
    try {
      text = value instanceof Raw ? value.text : encode(durations.has(name) ? duration(value as Duration, name) : value)
    } catch (error) {
      throw error instanceof TypeError ? invalid(name, `has no JSON form: ${error.message}`) : error
    }
    parts.push(`${encode(snake(name))}:${text}`)
  }
  return `{${parts.join()}}`
}

const times = new Set([
  "run_at", "deadline", "lease_until", "started_at", "next_check", "created_at", "updated_at", "finished_at", "last_failed_at",
  "attempt_ends", "next_at", "at", "ended_at", "until", "closed_at", "done_at",
])
const nested = new Set(["dispatch", "last_error", "steps", "tasks", "attempts", "results", "error"])

/** An answer with the names of this package. What callers gave (payloads, results, metadata) stays as it is. */
export function fromWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromWire)
  if (typeof value !== "object" || value === null) return value
  const out: Record<string, unknown> = {}
  for (const [name, part] of Object.entries(value)) {
    out[camel(name)] = times.has(name) && typeof part === "string" ? new Date(part) : nested.has(name) ? fromWire(part) : part
  }
  return out
}
