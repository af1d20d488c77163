// A stand-in for the model behind a client: it records each request and plays back a script, one step for each tool result
// that the request already holds. It speaks the three interfaces of the clients, on loopback.
import { createServer } from "node:http";

const words = (value) => (typeof value === "string" ? value : JSON.stringify(value ?? ""));

/** Event stream in the form `data: JSON`, with the event's name where the interface has one. */
function stream(response, events, isNamed) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) {
    if (isNamed) response.write(`event: ${event.type}\n`);
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

function answer(response, value, status = 200) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

/** Messages of Anthropic. */
const messages = {
  matches: (path) => /^\/v1\/messages(\?|$)/.test(path),
  tools: (body) => (body.tools ?? []).map((tool) => tool.name),
  results: (body) =>
    body.messages.flatMap((message) =>
      Array.isArray(message.content) ? message.content.filter((part) => part.type === "tool_result") : [],
    ),
  reply(response, body, step) {
    const block = step.tool
      ? { type: "tool_use", id: `call_${step.at}`, name: step.tool, input: {} }
      : { type: "text", text: "" };
    const delta = step.tool
      ? { type: "input_json_delta", partial_json: JSON.stringify(step.args) }
      : { type: "text_delta", text: step.text };
    const reason = step.tool ? "tool_use" : "end_turn";
    const usage = { input_tokens: 10, output_tokens: 10 };
    const message = { id: "msg_1", type: "message", role: "assistant", model: body.model, usage, stop_sequence: null };
    if (!body.stream) {
      const content = [step.tool ? { ...block, input: step.args } : { type: "text", text: step.text }];
      return answer(response, { ...message, content, stop_reason: reason });
    }
    const start = { ...message, content: [], stop_reason: null };
    stream(
      response,
      [
        { type: "message_start", message: start },
        { type: "content_block_start", index: 0, content_block: block },
        { type: "content_block_delta", index: 0, delta },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage },
        { type: "message_stop" },
      ],
      true,
    );
  },
};

/** Responses of OpenAI. Tools of a server are listed in a namespace or one by one. */
const responses = {
  matches: (path) => /\/responses(\?|$)/.test(path),
  tools: (body) =>
    (body.tools ?? []).flatMap((tool) =>
      tool.type === "namespace" ? tool.tools.map((inner) => `${tool.name}/${inner.name}`) : [tool.name ?? tool.type],
    ),
  results: (body) => (body.input ?? []).filter((item) => /_output$/.test(item.type)),
  reply(response, body, step) {
    const [namespace, name] = (step.tool ?? "").includes("/") ? step.tool.split("/") : [undefined, step.tool];
    const item = step.tool
      ? {
          type: "function_call", id: `fc_${step.at}`, call_id: `call_${step.at}`, name, namespace,
          arguments: JSON.stringify(step.args), status: "completed",
        }
      : {
          type: "message", id: "msg_1", role: "assistant", status: "completed",
          content: [{ type: "output_text", text: step.text, annotations: [] }],
        };
    const usage = { input_tokens: 10, output_tokens: 10, total_tokens: 20 };
    const base = { id: "resp_1", object: "response", model: body.model, status: "in_progress", output: [] };
    stream(
      response,
      [
        { type: "response.created", response: base },
        { type: "response.output_item.added", output_index: 0, item },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response: { ...base, status: "completed", output: [item], usage } },
      ],
      true,
    );
  },
};

/** GenerateContent of Google. */
const contents = {
  matches: (path) => /:(streamG|g)enerateContent/.test(path),
  tools: (body) =>
    (body.tools ?? []).flatMap((tool) => (tool.functionDeclarations ?? []).map((declared) => declared.name)),
  results: (body) =>
    (body.contents ?? []).flatMap((content) => (content.parts ?? []).filter((part) => part.functionResponse)),
  reply(response, _, step, path) {
    const part = step.tool ? { functionCall: { name: step.tool, args: step.args } } : { text: step.text };
    const candidate = { index: 0, finishReason: "STOP", content: { role: "model", parts: [part] } };
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 };
    const chunk = { candidates: [candidate], usageMetadata };
    if (path.includes(":generateContent")) return answer(response, chunk);
    stream(response, [chunk], false);
  },
};

const INTERFACES = [messages, responses, contents];

/** Returns the step of `script` for a request; side requests without tools, such as for a title, get a text. */
function stepFor(script, tools, results) {
  const step = tools.length === 0 ? undefined : script[results.length];
  if (!step) return { text: "ok" };
  const tool = tools.find((name) => step.tool.test(name));
  return tool ? { tool, args: step.args, at: results.length } : { text: `no tool ${step.tool}` };
}

/**
 * Serves the model on loopback. `script` is a list of `{ tool: RegExp, args }`; after its end the model answers `ok`.
 * As a proxy it refuses every host and records its name, so that nothing leaves loopback.
 */
export async function serveModel(script) {
  const record = { requests: [], outside: new Set(), other: [] };
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const face = INTERFACES.find((each) => each.matches(request.url));
      if (/^http:/.test(request.url)) {
        record.outside.add(new URL(request.url).host);
        return answer(response, {}, 403);
      }
      if (!face || request.method !== "POST") {
        record.other.push(`${request.method} ${request.url}`);
        return answer(response, { data: [], models: [], totalTokens: 10, input_tokens: 10 });
      }
      const body = JSON.parse(text);
      const [tools, results] = [face.tools(body), face.results(body).map(words)];
      const step = stepFor(script, tools, results);
      record.requests.push({ path: request.url, body, text, tools, results, step });
      face.reply(response, body, step, request.url);
    });
  });
  server.on("connect", (request, socket) => {
    record.outside.add(request.url);
    // A refused client may reset the connection.
    socket.on("error", () => {});
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, record, close: () => server.close() };
}
