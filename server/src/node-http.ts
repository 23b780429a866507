// What the service uses of node:http and node:https. `import` would make a facade that reads every export, and the one
// called WebSocket loads undici.

const http = process.getBuiltinModule("node:http");
const https = process.getBuiltinModule("node:https");

export const { createServer, STATUS_CODES } = http;
export const HttpAgent = http.Agent;
export const HttpsAgent = https.Agent;
export const httpRequest = http.request;
export const httpsRequest = https.request;
