// A server that plays faults, for tests.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of tests
export type Body = any

/** A call that the server has got. It is answered by the test. */
export class Got {
  constructor(readonly path: string, readonly headers: IncomingMessage["headers"], readonly body: Body, readonly socket: Socket, private readonly response: ServerResponse) {}

  json(status: number, body: unknown, headers: Record<string, string> = {}): void {
    this.response.writeHead(status, { "Content-Type": status >= 400 ? "application/problem+json" : "application/json", ...headers }).end(JSON.stringify(body))
  }

  text(status: number, text: string): void {
    this.response.writeHead(status, { "Content-Type": "text/html" }).end(text)
  }

  problem(status: number, code: string, headers: Record<string, string> = {}): void {
    this.json(status, { status, code, title: code, detail: `it is ${code}` }, headers)
  }

  /** Breaks the connection: the answer is lost. */
  lose(): void {
    this.socket.destroy()
  }

  /** Resolves when the caller has hung up. */
  hungUp(): Promise<void> {
    return new Promise((resolve) => {
      this.socket.on("end", resolve)
      this.socket.on("close", () => resolve())
    })
  }
}

/** Calls of each path wait until the test takes them. */
export class FakeServer {
  readonly #server: Server
  readonly #calls = new Map<string, Got[]>()
  readonly #waiting = new Map<string, (got: Got) => void>()
  readonly sockets = new Set<Socket>()
  /** Answers calls of a path by themselves, once it is set. */
  readonly always = new Map<string, (got: Got) => void>()

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const path = request.url!.split("?")[0]!
        const text = Buffer.concat(chunks).toString()
        const got = new Got(request.url!, request.headers, text ? JSON.parse(text) : undefined, request.socket, response)
        const always = this.always.get(path)
        const waiting = this.#waiting.get(path)
        this.#waiting.delete(path)
        if (waiting) waiting(got)
        else if (always) always(got)
        else this.#calls.set(path, [...(this.#calls.get(path) ?? []), got])
      })
    })
    Object.assign(this.#server, { httpAllowHalfOpen: true }) // as Go's server: who has hung up is answered
    this.#server.on("connection", (socket) => this.sockets.add(socket))
  }

  static async start(): Promise<FakeServer> {
    const fake = new FakeServer()
    await new Promise<void>((resolve) => fake.#server.listen(0, "127.0.0.1", resolve))
    return fake
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The next call of a path. */
  next(path: string): Promise<Got> {
    const [first, ...rest] = this.#calls.get(path) ?? []
    if (!first) return new Promise((resolve) => this.#waiting.set(path, resolve))
    this.#calls.set(path, rest)
    return Promise.resolve(first)
  }

  poll(): Promise<Got> {
    return this.next("/v1/workers/poll")
  }

  extend(): Promise<Got> {
    return this.next("/v1/workers/extend")
  }

  settle(): Promise<Got> {
    return this.next("/v1/workers/settle")
  }

  steps(): Promise<Got> {
    return this.next("/v1/workers/steps")
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy()
    this.#server.close()
  }
}

let count = 0

/** A task as a poll gives it. */
export function leased(fields: object = {}): { id: string; claim: number } & Record<string, unknown> {
  const claim = ++count
  return {
    id: `018df700-0000-7000-8000-${String(claim).padStart(12, "0")}`, claim, type: "work", queue: "default", state: "running", attempt: 1, crashes: 0,
    priority: 5, max_attempts: 5, created_at: "2026-11-20T10:00:00.000000Z", run_at: "2026-11-20T10:00:00.000000Z", started_at: "2026-11-20T10:00:00.000000Z",
    ...fields,
  }
}

/** All results are good. */
export function allOk(got: Got): void {
  const items = (got.body.results ?? got.body.items) as { id: string }[]
  got.json(200, { results: items.map(({ id }) => ({ id, status: "ok" })) })
}
