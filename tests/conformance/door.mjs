// Shows the token of a server to it, for testers that cannot: whatever else they send goes through as it is.
// Usage: node door.mjs URL TOKEN; the first line of its output is the address to ask instead.
import http from "node:http";

const [target, token] = process.argv.slice(2);
const { hostname, port } = new URL(target);

const server = http.createServer((request, response) => {
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  const options = { hostname, port, path: request.url, method: request.method, headers };
  const asked = http.request(options, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  asked.on("error", () => response.destroy());
  response.on("close", () => asked.destroy());
  request.pipe(asked);
});

server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
