// What must hold of the manifests for the pods to be admitted, found, spared and ended as the documentation says. A
// cluster checks the rest: it is not asked here.
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { filesOf, read, readYaml, root } from "../../support/deploy/read-deploy.ts";

type Labels = Readonly<Record<string, string>>;
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels };
  readonly spec: Readonly<Record<string, unknown>>;
}
interface Selector {
  readonly matchLabels: Labels;
}
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Container {
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom: readonly Readonly<Record<string, { readonly name: string }>>[];
  readonly ports?: readonly { readonly name: string }[];
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly resources: { readonly requests: Labels; readonly limits: Labels };
  readonly securityContext: unknown;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}
interface PodTemplate {
  readonly metadata: { readonly labels: Labels };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly securityContext: object;
    readonly automountServiceAccountToken: boolean;
    readonly terminationGracePeriodSeconds?: number;
    readonly volumes: readonly { readonly name: string; readonly emptyDir?: { readonly sizeLimit: string } }[];
    readonly topologySpreadConstraints?: readonly { readonly labelSelector: Selector }[];
  };
}

const folder = "deploy/kubernetes";
const files = filesOf("kubernetes/*.yaml").filter((file) => !file.endsWith("/kustomization.yaml"));
const manifests = files.flatMap((file) => readYaml<Manifest>(file));
const ofKind = (kind: string) => manifests.filter((one) => one.kind === kind);
const templateOf = ({ kind, spec }: Manifest) => {
  const job = kind === "CronJob" ? (spec["jobTemplate"] as Pick<Manifest, "spec">) : { spec };
  return job.spec["template"] as PodTemplate;
};
const named = (one: Manifest) => [one.metadata.name, one] as const;
const deployments = ofKind("Deployment").map(named);
const pods = [...ofKind("Deployment"), ...ofKind("Job"), ...ofKind("CronJob")].map(named);
const carries = (labels: Labels, wanted: Labels) =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value);

test("each manifest has a kind, a version and the namespace of all", () => {
  expect(manifests.length).toBeGreaterThan(8);
  for (const { apiVersion, kind, metadata } of manifests) {
    expect(apiVersion).toMatch(/^(?:[a-z.0-9]+\/)?v1$/);
    if (kind !== "Namespace") expect(metadata.namespace).toBe("submissions");
  }
});

test("the kustomization names files that exist, and neither secrets nor what is run by hand", () => {
  const [{ resources }] = readYaml<{ resources: string[] }>(`${folder}/kustomization.yaml`) as [
    { resources: string[] },
  ];
  const byHand = ["namespace.yaml", "secret.example.yaml", "migrate.yaml", "backup.yaml"].map(
    (name) => `${folder}/${name}`,
  );
  expect(resources.map((name) => `${folder}/${name}`).toSorted()).toEqual(files.filter((one) => !byHand.includes(one)));
});

test.each(pods)("%s is admitted under the restricted profile", (_name, manifest) => {
  const { spec } = templateOf(manifest);
  expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
  expect(spec.automountServiceAccountToken).toBe(false);
  for (const container of spec.containers) {
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(container.resources.requests).toHaveProperty("memory");
    expect(container.resources.limits).toHaveProperty("memory");
  }
  const [namespace] = ofKind("Namespace");
  expect(namespace?.metadata.labels?.["pod-security.kubernetes.io/enforce"]).toBe("restricted");
});

test.each(pods)(
  "%s runs as the user of the image and writes to its /data, and to /backups, alone",
  (name, manifest) => {
    const { containers, securityContext, volumes } = templateOf(manifest).spec;
    const [, user] = /^USER (\d+):/m.exec(read("deploy/Dockerfile")) ?? [];
    expect(securityContext).toMatchObject({ runAsUser: Number(user), fsGroup: Number(user) });
    for (const { volumeMounts } of containers) {
      const [backups, kept] =
        name === "submissions-backup"
          ? [
              [{ name: "backups", mountPath: "/backups" }],
              [{ name: "backups", persistentVolumeClaim: expect.anything() }],
            ]
          : [[], []];
      expect(volumeMounts).toEqual([{ name: "data", mountPath: "/data" }, ...backups]);
      expect(volumes).toEqual([
        { name: "data", emptyDir: { sizeLimit: expect.stringMatching(/^\d+[GM]i$/) } },
        ...kept,
      ]);
    }
  },
);

test.each(pods)("%s names settings and secrets that there are, and an image's version", (_name, manifest) => {
  const known = manifests.filter(({ kind }) => kind === "ConfigMap" || kind === "Secret");
  for (const { envFrom, image, args = [] } of templateOf(manifest).spec.containers) {
    const sources = envFrom.flatMap((source) => Object.values(source)).map(({ name }) => name);
    expect(sources).toHaveLength(2);
    for (const name of sources) expect(known.map(({ metadata }) => metadata.name)).toContain(name);
    const images = `${image}\n${read(`${folder}/kustomization.yaml`)}`;
    expect(images).toMatch(/:\d+\.\d+\.\d+|newTag: \d+\.\d+\.\d+/);
    if (args[0] !== undefined) expect(existsSync(`${root}/${args[0]}`)).toBe(true);
  }
});

test.each(deployments)("%s selects its own pods and no others", (name, manifest) => {
  const { matchLabels } = manifest.spec["selector"] as Selector;
  const selected = ofKind("Deployment").filter((one) => carries(templateOf(one).metadata.labels, matchLabels));
  expect(selected.map(({ metadata }) => metadata.name)).toEqual([name]);
  for (const { labelSelector } of templateOf(manifest).spec.topologySpreadConstraints ?? []) {
    expect(labelSelector.matchLabels).toEqual(matchLabels);
  }
});

test.each(deployments)(
  "%s is restarted when dead, not when its database is away, and is told to go in time",
  (_, manifest) => {
    const { containers, terminationGracePeriodSeconds = 0 } = templateOf(manifest).spec;
    const [container] = containers as [Container];
    const path = ({ httpGet }: Probe) => httpGet.path;
    expect([container.startupProbe!, container.livenessProbe!, container.readinessProbe!].map(path)).toEqual([
      "/healthz",
      "/healthz",
      "/readyz",
    ]);
    // main.ts ends the process 26.5 s after the signal at the latest, with SMTP.
    expect(terminationGracePeriodSeconds).toBeGreaterThan((container.lifecycle?.preStop.sleep.seconds ?? 0) + 27);
  },
);

test("the service and its budget are of the web pods, which are several", () => {
  const [web] = ofKind("Deployment").filter(({ metadata }) => metadata.name === "submissions-web") as [Manifest];
  const { labels } = templateOf(web).metadata;
  expect(web.spec["replicas"]).toBeGreaterThan(1);
  const [service] = ofKind("Service") as [Manifest];
  const [budget] = ofKind("PodDisruptionBudget") as [Manifest];
  expect(carries(labels, service.spec["selector"] as Labels)).toBe(true);
  expect((budget.spec["selector"] as Selector).matchLabels).toEqual(service.spec["selector"]);
  const ports = service.spec["ports"] as readonly { readonly targetPort: string }[];
  const [container] = templateOf(web).spec.containers as [Container];
  for (const { targetPort } of ports) expect(container.ports?.map(({ name }) => name)).toContain(targetPort);
});

test.each(pods)("%s reaches only what a network policy names", (_name, manifest) => {
  const { labels } = templateOf(manifest).metadata;
  const policies = ofKind("NetworkPolicy").filter(({ spec }) =>
    carries(labels, (spec["podSelector"] as Selector).matchLabels),
  );
  expect(policies).toHaveLength(1);
  for (const { spec } of policies) expect(spec["policyTypes"]).toEqual(["Ingress", "Egress"]);
});
