// A real server, for tests.

import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { after } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"
import { Client } from "../src/index.js"

/** The program to test against; without it such tests are skipped, which `check` does not allow. */
export const binary = process.env["OUTLAST_TEST_BINARY"]
export const needsServer = binary ? {} : { skip: "OUTLAST_TEST_BINARY names no built outlast" }

const children: ChildProcess[] = []
after(() => children.forEach((child) => child.kill("SIGKILL")))

/** Starts a server, and resolves when it listens. */
export async function serve(flags: string[] = [], env: Record<string, string> = {}): Promise<string> {
  const child = spawn(binary!, ["serve", "--store", "memory:", "--listen", "127.0.0.1:0", "--log-format", "json", ...flags], { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "pipe"] })
  children.push(child)
  let said = ""
  return new Promise((resolve, reject) => {
    child.once("error", reject)
    child.once("exit", (code) => reject(new Error(`the server ended (${code}): ${said}`)))
    child.stderr.on("data", (text: Buffer) => {
      said += text.toString()
      const url = /"msg":"server.listens".*"url":"([^"]+)"/.exec(said)?.[1]
      if (url) resolve(url)
    })
  })
}

export interface Program {
  child: ChildProcess
  /** What it has said so far. */
  said: () => string
  /** Its exit code. */
  end: Promise<number | null>
}

/** Runs a program of the tests. */
export function run(file: string, args: string[], env: Record<string, string>): Program {
  const child = spawn(process.execPath, [new URL(file, import.meta.url).pathname, ...args], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] })
  children.push(child)
  let said = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (said += text.toString()))
  return { child, said: () => said, end: once(child, "close").then(([code]) => code as number | null) }
}

/** Waits until something is so; only a fault takes two minutes. */
export async function until(what: string, is: () => boolean | Promise<boolean>): Promise<void> {
  for (let left = 2400; !(await is()); left--) {
    if (left === 0) throw new Error(`it is not so that ${what}`)
    await sleep(50)
  }
}

export function connect(server: string): Client {
  const client = new Client({ server })
  after(() => client.close())
  return client
}

/** A promise, and what resolves it. */
export function later<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void
  const promise = new Promise<T>((done) => (resolve = done))
  return { promise, resolve }
}
