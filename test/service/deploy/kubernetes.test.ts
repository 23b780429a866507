// What must hold of the manifests for the pods to be admitted, found, spared and ended. A cluster checks the rest.
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { filesOf, read, readYaml, root, type Document } from "../../support/deploy/read-deploy.ts";

const folder = "deploy/kubernetes";
const files = filesOf("kubernetes/*.yaml").filter((file) => !file.endsWith("/kustomization.yaml"));
const manifests = files.flatMap(readYaml);
const ofKind = (...kinds: string[]) => manifests.filter(({ kind }) => kinds.includes(kind));
const templateOf = ({ kind, spec }: Document) => (kind === "CronJob" ? spec.jobTemplate.spec : spec).template;
const named = (one: Document): [string, Document] => [one.metadata.name, one];
const deployments = ofKind("Deployment").map(named);
const pods = ofKind("Deployment", "Job", "CronJob").map(named);
const carries = (labels: Document, wanted: Document) =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value);

test("each manifest has a kind, a version and the namespace of all", () => {
  expect(manifests.length).toBeGreaterThan(8);
  for (const { apiVersion, kind, metadata } of manifests) {
    expect(apiVersion).toMatch(/^(?:[a-z.0-9]+\/)?v1$/);
    if (kind !== "Namespace") expect(metadata.namespace).toBe("submissions");
  }
});

test("the kustomization names files that exist, and neither secrets nor what is run by hand", () => {
  const [{ resources }] = readYaml(`${folder}/kustomization.yaml`);
  const byHand = ["namespace", "secret.example", "migrate", "backup"].map((name) => `${folder}/${name}.yaml`);
  expect(resources.map((name: string) => `${folder}/${name}`).toSorted()).toEqual(
    files.filter((one) => !byHand.includes(one)),
  );
});

test.each(pods)("%s is admitted under the restricted profile", (_name, manifest) => {
  const { spec } = templateOf(manifest);
  expect(spec).toMatchObject({
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    automountServiceAccountToken: false,
  });
  const rights = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } };
  for (const { securityContext, resources } of spec.containers) {
    expect(securityContext).toEqual(rights);
    for (const part of [resources.requests, resources.limits]) expect(part).toHaveProperty("memory");
  }
  const [namespace] = ofKind("Namespace");
  expect(namespace.metadata.labels["pod-security.kubernetes.io/enforce"]).toBe("restricted");
});

test.each(pods)("%s runs as the user of the image and writes to its /data and to /backups alone", (name, manifest) => {
  const { containers, securityContext, volumes } = templateOf(manifest).spec;
  const [, user] = /^USER (\d+):/m.exec(read("deploy/Dockerfile")) ?? [];
  expect(securityContext).toMatchObject({ runAsUser: Number(user), fsGroup: Number(user) });
  const data = { name: "data", emptyDir: { sizeLimit: expect.stringMatching(/^\d+[GM]i$/) } };
  const backups = { name: "backups", persistentVolumeClaim: expect.anything() };
  const isBackup = name === "submissions-backup";
  expect(volumes).toEqual(isBackup ? [data, backups] : [data]);
  const places = isBackup ? ["data", "backups"] : ["data"];
  for (const { volumeMounts } of containers)
    expect(volumeMounts).toEqual(places.map((place) => ({ name: place, mountPath: `/${place}` })));
});

test.each(pods)("%s names settings and secrets that there are, and an image's version", (_name, manifest) => {
  const known = ofKind("ConfigMap", "Secret").map(({ metadata }) => metadata.name);
  for (const { envFrom, image, args = [] } of templateOf(manifest).spec.containers) {
    const sources = envFrom.flatMap(Object.values).map(({ name }: Document) => name);
    expect(sources).toHaveLength(2);
    for (const name of sources) expect(known).toContain(name);
    const images = `${image}\n${read(`${folder}/kustomization.yaml`)}`;
    expect(images).toMatch(/:\d+\.\d+\.\d+|newTag: \d+\.\d+\.\d+/);
    if (args[0] !== undefined) expect(existsSync(`${root}/${args[0]}`)).toBe(true);
  }
});

test.each(deployments)("%s selects its own pods and no others", (name, manifest) => {
  const { matchLabels } = manifest.spec.selector;
  const selected = ofKind("Deployment").filter((one) => carries(templateOf(one).metadata.labels, matchLabels));
  expect(selected.map(({ metadata }) => metadata.name)).toEqual([name]);
  for (const { labelSelector } of templateOf(manifest).spec.topologySpreadConstraints ?? [])
    expect(labelSelector.matchLabels).toEqual(matchLabels);
});

test.each(deployments)("%s is restarted when dead, not without its database, and told to go in time", (_, manifest) => {
  const { containers, terminationGracePeriodSeconds } = templateOf(manifest).spec;
  expect(containers[0]).toMatchObject({
    startupProbe: { httpGet: { path: "/healthz" } },
    livenessProbe: { httpGet: { path: "/healthz" } },
    readinessProbe: { httpGet: { path: "/readyz" } },
  });
  // main.ts ends the process 26.5 s after the signal at the latest, with SMTP.
  const pause = containers[0].lifecycle?.preStop.sleep.seconds ?? 0;
  expect(terminationGracePeriodSeconds).toBeGreaterThan(pause + 27);
});

test("the service and its budget are of the web pods, which are several", () => {
  const [web] = ofKind("Deployment").filter(({ metadata }) => metadata.name === "submissions-web");
  expect(web.spec.replicas).toBeGreaterThan(1);
  const [service] = ofKind("Service");
  const [budget] = ofKind("PodDisruptionBudget");
  expect(carries(templateOf(web).metadata.labels, service.spec.selector)).toBe(true);
  expect(budget.spec.selector.matchLabels).toEqual(service.spec.selector);
  const ports = templateOf(web).spec.containers[0].ports.map(({ name }: Document) => name);
  for (const { targetPort } of service.spec.ports) expect(ports).toContain(targetPort);
});

test.each(pods)("%s reaches only what a network policy names", (_name, manifest) => {
  const { labels } = templateOf(manifest).metadata;
  const policies = ofKind("NetworkPolicy").filter(({ spec }) => carries(labels, spec.podSelector.matchLabels));
  expect(policies).toMatchObject([{ spec: { policyTypes: ["Ingress", "Egress"] } }]);
});
