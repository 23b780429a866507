// Hosts on one switch, as the kernel makes them: each has a network of its own and one cable, which can be pulled. All of
// it lives in the network namespace of this process and ends with it; run.ts gives it one.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

const bridge = "switch0";
/** Where this process itself is on the network. */
export const ownAddress = "10.0.0.1";

const ip = (...words: string[]) => execFileSync("ip", words, { stdio: ["ignore", "ignore", "inherit"] });

export interface Host {
  readonly name: string;
  readonly address: string;
  /** The words that run a program on this host, to be followed by the program and its arguments. */
  readonly through: readonly string[];
  /** Pulls the cable: packets are lost, nobody is told. */
  cut(): void;
  mend(): void;
}

export class Network implements AsyncDisposable {
  readonly #holders: ChildProcess[] = [];

  /** Makes the switch, with this process on it. Needs root and a network namespace that is empty. */
  constructor() {
    ip("link", "set", "lo", "up");
    ip("link", "add", bridge, "type", "bridge");
    ip("address", "add", `${ownAddress}/24`, "dev", bridge);
    ip("link", "set", bridge, "up");
  }

  async addHost(name: string, number: number): Promise<Host> {
    // A namespace lives as long as a process in it; this one goes with its parent, however that ends.
    const sleeping = ["--pdeathsig", "KILL", "unshare", "--net", "sh", "-c", "echo made; exec sleep infinity"];
    const holder = spawn("setpriv", sleeping, { stdio: ["ignore", "pipe", "inherit"] });
    this.#holders.push(holder);
    await once(holder.stdout, "data");
    const through = ["nsenter", `--net=/proc/${holder.pid}/ns/net`, "--"] as const;
    const inside = (...words: string[]) => execFileSync(through[0], [...through.slice(1), "ip", ...words]);
    const [cable, address] = [`cable-${name}`, `10.0.0.${number}`];
    ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", String(holder.pid));
    ip("link", "set", cable, "master", bridge, "up");
    inside("link", "set", "lo", "up");
    inside("address", "add", `${address}/24`, "dev", "eth0");
    inside("link", "set", "eth0", "up");
    return {
      name,
      address,
      through,
      cut: () => void ip("link", "set", cable, "down"),
      mend: () => void ip("link", "set", cable, "up"),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const holder of this.#holders) {
      holder.kill("SIGKILL");
      if (holder.exitCode === null && holder.signalCode === null) await once(holder, "exit");
    }
    ip("link", "delete", bridge);
  }
}
