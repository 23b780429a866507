// The service ignores a variable that is misspelt in a manifest. Hence each must be one of its settings.
import { expect, test } from "vitest";
import { settings } from "../../../server/src/config/settings.ts";
import { filesOf, read, readYaml } from "../../support/deploy/read-deploy.ts";

// Read by the image of PostgreSQL, by the S3 client, by Node and its SQLite, and by what starts it.
const ofOthers =
  /^(?:PATH|NODE_COMPILE_CACHE|SQLITE_TMPDIR|POSTGRES_(?:USER|DB|PASSWORD)|AWS_ACCESS_KEY_ID|AWS_SECRET_ACCESS_KEY)$/;

const fromEnvFiles = filesOf("*.env.example").flatMap((file) =>
  [...read(file).matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = ""]) => ({ file, name })),
);
const fromUnits = filesOf("systemd/*").flatMap((file) =>
  [...read(file).matchAll(/^Environment=(.*)$/gm)].flatMap(([, text = ""]) =>
    text.split(" ").map((pair) => ({ file, name: pair.split("=")[0] ?? "" })),
  ),
);
const fromImage = [...read("deploy/Dockerfile").matchAll(/^ENV (.*)$/gm)].flatMap(([, text = ""]) =>
  text.split(" ").map((pair) => ({ file: "deploy/Dockerfile", name: pair.split("=")[0] ?? "" })),
);
const fromManifests = filesOf("kubernetes/*.yaml").flatMap((file) =>
  readYaml(file).flatMap((manifest) => [...variablesOf(manifest)].map((name) => ({ file, name }))),
);

function* variablesOf(node: unknown): Generator<string> {
  if (typeof node !== "object" || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if ((key === "data" || key === "stringData") && !Array.isArray(value)) yield* Object.keys(value as object);
    else if (key === "env") yield* (value as readonly { readonly name: string }[]).map(({ name }) => name);
    else yield* variablesOf(value);
  }
}

test.each([...fromEnvFiles, ...fromUnits, ...fromImage, ...fromManifests])("$name of $file is read", ({ name }) => {
  expect(ofOthers.test(name) || name in settings).toBe(true);
});

test("variables were found in every kind of file", () => {
  for (const found of [fromEnvFiles, fromUnits, fromImage, fromManifests]) expect(found.length).toBeGreaterThan(0);
});
