// Builds the forms for pages: one file to load, and the solver of challenges, which it loads where it has to. The server
// serves the folder as it is.
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  resolve: { conditions: ["@submissions/source", "browser", "import", "module", "default"] },
  plugins: [
    {
      // Line breaks and indentation of the markup and the style are for those who read the sources.
      name: "compact-templates",
      transform(code, id) {
        if (id.endsWith("/shared/src/forms/form-style.ts")) return code.replace(/(?<=[{};:,])\s+|;?\s+(?=[{}])/g, "");
        return id.includes("/shared/src/forms/") ? code.replace(/\n\s+/g, "\n") : undefined;
      },
    },
  ],
  build: {
    outDir: "dist/forms",
    // What `light-dark()` and `URL.parse` ask for anyway.
    target: ["chrome126", "firefox126", "safari18"],
    modulePreload: false,
    lib: { entry: "src/forms/forms.ts", formats: ["es"], fileName: () => "forms.js" },
    rolldownOptions: { output: { chunkFileNames: "forms-[name]-[hash].js", minify: true } },
  },
});
