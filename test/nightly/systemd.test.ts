// The units, started by a systemd of its own: a Debian made of its packages, in a container of Podman, with this checkout
// as /srv/submissions. What is typed there is what docs/deploy.md says.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { snippetsOf } from "../support/browser/front-end.ts";
import { root } from "../support/deploy/read-deploy.ts";
import { openFolder } from "../support/folder.ts";
import { freePort } from "../support/free-port.ts";
import { run } from "../support/package/packed.ts";
import { shared } from "../support/shared.ts";

const minutes = 60_000;
const isRoot = process.platform === "linux" && process.getuid?.() === 0;
const tools = ["mmdebstrap", "podman", "runc"];
const isPossible = isRoot && tools.every((tool) => spawnSync(tool, ["--version"]).status === 0);

const folder = shared(openFolder);
const store = () => ["--root", join(folder().path, "images"), "--runroot", join(folder().path, "running")];
const podman = (...words: string[]) => run("/usr/bin/podman", [...store(), ...words], root);
/** A line of a shell on that machine. */
const on = (line: string) => podman("exec", "machine", "sh", "-euc", line);

afterAll(async () => {
  if (!isPossible) return;
  await podman("rm", "--force", "--time", "5", "machine");
  // Podman binds this folder to itself.
  spawnSync("umount", [join(folder().path, "images/overlay")]);
});

test.skipIf(!isPossible)(
  "the service is started, backed up, started again after a crash, and ended by systemd",
  async () => {
    const tar = join(folder().path, "debian.tar");
    const packages = ["--variant=minbase", "--include=systemd,dbus,libatomic1"];
    await run("/usr/bin/mmdebstrap", [...packages, "bookworm", tar], folder().path);
    await podman("import", tar, "localhost/debian");
    const limits = ["--ulimit", "nofile=4096:4096", "--ulimit", "nproc=1024:1024"];
    const machine = ["--runtime", "runc", "--network", "host", "--privileged", "--systemd=always", ...limits];
    const systemd = ["localhost/debian", "/lib/systemd/systemd"];
    await podman("run", "--detach", "--name", "machine", ...machine, "-v", `${root}:/srv/submissions:ro`, ...systemd);
    await expect.poll(() => on("systemctl is-system-running --wait || true")).toMatch(/running|degraded/);

    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const settings = `MAIL_TRANSPORT=mailbox\nPORT=${port}\n`;
    const [install = ""] = await snippetsOf("systemd", "deploy.md");
    // The checkout is there, and installed.
    const typed = install.split("\n").filter((line) => !/^(?:git|npm|\$EDITOR) /.test(line));
    const [enable = "", ...before] = typed.filter((line) => line !== "").toReversed();
    await on(["cd /srv/submissions", ...before.toReversed()].join("\n"));
    await on(`printf '${settings.replaceAll("\n", "\\n")}' >/etc/submissions/submissions.env`);
    await on("install -d -m 0700 -o submissions -g submissions /var/backups/submissions");
    await on("cp /srv/submissions/deploy/systemd/* /etc/systemd/system/");
    await on(`cd /srv/submissions && ${enable} && systemctl enable --now submissions-backup.timer`);
    const isReady = () =>
      expect
        .poll(() =>
          fetch(`${url}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          ),
        )
        .toBe(true);
    await isReady();

    const inquiry = { name: "Ann Buyer", email: "ann@example.org", selectedPackageIds: ["de-AT"] };
    const headers = { "content-type": "application/json" };
    const sent = { method: "POST", headers, body: JSON.stringify(inquiry) };
    const answer = (await (await fetch(`${url}/api/marketplace/inquiry`, sent)).json()) as { inquiryId: string };
    const [command = ""] = await snippetsOf("Commands on such a machine", "deploy.md");
    await on(`cat >/usr/local/bin/submissions <<'END'\n${command}END\nchmod +x /usr/local/bin/submissions`);
    expect(await on("submissions export inquiries")).toContain(answer.inquiryId);
    const show = (unit: string, name: string) =>
      on(`systemctl show ${unit} --value -p ${name}`).then((text) => text.trim());

    await on("systemctl start submissions-backup");
    expect(await on("ls -l /var/backups/submissions/*")).toMatch(
      /-rw------- 1 submissions submissions .* submissions.sqlite/,
    );
    expect(await on("systemctl list-timers")).toContain("submissions-backup.timer");

    await on("systemctl kill --signal KILL submissions");
    await expect.poll(() => show("submissions", "NRestarts")).toBe("1");
    await isReady();
    expect(await on("submissions export inquiries")).toContain(answer.inquiryId);
    await on("systemctl stop submissions");
    expect([await show("submissions", "Result"), await show("submissions", "ExecMainStatus")]).toEqual([
      "success",
      "0",
    ]);

    // A mistake in the settings: no start follows, and the backup's failure is told.
    await on("echo MAIL_TRANSPORT=pigeons >>/etc/submissions/submissions.env; systemctl start submissions");
    await expect.poll(() => show("submissions", "ActiveState")).toBe("failed");
    const ended = [await show("submissions", "ExecMainStatus"), await show("submissions", "NRestarts")];
    expect(ended).toEqual(["78", "0"]);
    await on("systemctl start submissions-backup || true");
    await expect
      .poll(() => on("journalctl -o cat -t submissions-backup"))
      .toContain("A backup failed or lacks something");
  },
  15 * minutes,
);
