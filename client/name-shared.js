// After the compiler: names the modules of `@submissions/shared` by their places in this package (dist/shared), so that it
// depends on no other package of ours. A registry that others own could answer for such a name.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const dist = join(import.meta.dirname, "dist");

for (const file of globSync("**/*.{js,d.ts}", { cwd: dist, exclude: ["console/**", "forms/*.js"] })) {
  const path = join(dist, file);
  const text = readFileSync(path, "utf8");
  const shared = relative(dirname(path), join(dist, "shared"));
  const named = text.replaceAll(
    /(?<=["'])@submissions\/shared\/([\w/-]+)(?=["'])/g,
    (_, name) => `${shared.startsWith(".") ? shared : `./${shared}`}/${name}.js`,
  );
  if (named !== text) writeFileSync(path, named);
}
