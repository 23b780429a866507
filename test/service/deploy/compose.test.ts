// What must hold of every container of the Compose file.
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { read, readYaml, root, type Document } from "../../support/deploy/read-deploy.ts";

const [file] = readYaml("deploy/compose.yaml");
const containers = Object.entries<Document>(file.services);

test.each(containers)("%s is read-only, without capabilities and without new privileges", (_name, container) => {
  expect(container).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
  for (const none of ["cap_add", "privileged"]) expect(container).not.toHaveProperty(none);
  expect(container.security_opt).toContain("no-new-privileges:true");
});

test.each(containers)("%s has secrets from a file that git ignores, made from one that exists", (_name, container) => {
  expect(container.environment).toBeUndefined();
  expect(container.env_file).toHaveLength(1);
  for (const name of container.env_file) expect(existsSync(`${root}/deploy/${name}.example`), name).toBe(true);
  expect(read("deploy/.gitignore").split("\n")).toContain("*.env");
});

test.each(containers)("%s writes to named volumes only, and names its image's version", (_name, { image, volumes }) => {
  expect(image).toMatch(/:\d+\.\d+/);
  for (const volume of volumes) expect(Object.keys(file.volumes)).toContain(volume.split(":")[0]);
});

test("only the service can be reached, and only from the machine itself", () => {
  const published = containers.flatMap(([name, { ports = [] }]) => ports.map((port: string) => [name, port]));
  expect(published).toEqual([["submissions", "127.0.0.1:3000:3000"]]);
  expect(file.services.postgres.networks).toEqual(["database"]);
  expect(file.networks.database.internal).toBe(true);
});

test("the service starts on a database that answers and is migrated", () => {
  const { postgres, migrate, submissions } = file.services;
  expect(postgres.healthcheck.test.slice(0, 2)).toEqual(["CMD", "pg_isready"]);
  expect(migrate.depends_on.postgres.condition).toBe("service_healthy");
  expect(submissions.depends_on.migrate.condition).toBe("service_completed_successfully");
  expect(existsSync(`${root}/${migrate.command[0]}`)).toBe(true);
});

test("every image can be pinned by a variable, and is otherwise the one that the Dockerfile names", () => {
  const bases = [...read("deploy/Dockerfile").matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, name, image]) => [name, image]);
  expect(bases.length).toBeGreaterThan(0);
  const expected = Object.fromEntries(bases.map(([name, image]) => [name, `\${${name}:-${image}}`]));
  expect(file.services.submissions.build.args).toEqual(expected);
  expect(file.services.postgres.image).toMatch(/^\$\{POSTGRES_IMAGE:-postgres:\d+\.\d+-\w+\}$/);
});
