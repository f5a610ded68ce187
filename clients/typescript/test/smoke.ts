// Runs from an installed package: see ../check.

import { spawn } from "node:child_process"
import { Client, Worker } from "outlast"
import { runAttempt } from "outlast/testing"

const server = spawn(process.env["OUTLAST_TEST_BINARY"]!, ["serve", "--store", "memory:", "--listen", "127.0.0.1:0", "--log-format", "json"], { stdio: ["ignore", "ignore", "pipe"] })
let said = ""
const url = await new Promise<string>((resolve, reject) => {
  server.once("exit", () => reject(new Error(said)))
  server.stderr.on("data", (text: Buffer) => {
    said += text.toString()
    const found = /"msg":"server.listens".*"url":"([^"]+)"/.exec(said)?.[1]
    if (found) resolve(found)
  })
})
const client = new Client({ server: url })
const double = (n: number) => 2 * n
const worker = new Worker(client, { double })
const ran = worker.run()
const task = await client.enqueue<number>({ type: "double", payload: 21 }, { wait: "2m" })
worker.stop()
await ran
client.close()
server.kill()
if (task.result !== 42 || (await runAttempt(double, 21)).result !== 42) throw new Error(JSON.stringify(task))
console.log("the installed package works")
