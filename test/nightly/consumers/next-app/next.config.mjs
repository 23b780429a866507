// The root is the folder that has node_modules. Types are checked by the test.
export default {
  turbopack: { root: new URL("..", import.meta.url).pathname },
  typescript: { ignoreBuildErrors: true },
  // As docs/existing-front-end.md has it.
  experimental: { serverActions: { bodySizeLimit: "6mb" } },
};
