import { createServer } from "node:http"
import { Webhook, WebhookError } from "outlast"

const webhook = new Webhook(process.env["WEBHOOK_SECRETS"]!.split(" ")) // "whsec_new whsec_old" while it changes
const seen = new Set<string>()

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  try {
    const { id, attempt, payload } = webhook.verify<{ event: string }>(Buffer.concat(chunks), request.headers)
    if (!seen.has(id)) console.log(`${payload.event}, attempt ${attempt}`)
    seen.add(id)
    response.writeHead(200).end('{"ok": true}') // kept as the result
  } catch (error) {
    response.writeHead(error instanceof WebhookError ? 401 : 500).end()
  }
})
server.listen(Number(process.env["PORT"] ?? 8080), "127.0.0.1", () => console.log("listening:", server.address()))
