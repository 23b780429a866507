// The operators of `npm run dev`: an administrator, whose password lies beside the data of the developers' service, and
// those who own the made-up submissions, with the same password.
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Passwords } from "../src/console/password.ts";
import { drawSecret, hashSecret } from "../src/secrets.ts";
import { operatorNames, operators as colleagues } from "./seed/people.ts";
import type { Store } from "../src/storage/store.ts";

const email = "operator@example.org";

const accounts = [
  ...colleagues.inquiry.map((colleague) => [colleague, "sales", operatorNames[colleague]] as const),
  ...colleagues.application.map((colleague) => [colleague, "recruiting", operatorNames[colleague]] as const),
  [email, "admin", "Eva Lind"] as const,
];

/**
 * Adds the operators where there are none, and tells again later how to sign in. Null: there are other operators, and
 * nothing is added.
 */
export async function devOperator(
  store: Pick<Store, "access">,
  dataFolder: string,
): Promise<{ readonly email: string; readonly password: string } | null> {
  const { access } = store;
  const file = join(dataFolder, "operator-password.txt");
  const operators = await access.listOperators();
  if (operators.length > 0) {
    const isKnown = operators.some((operator) => operator.email === email) && existsSync(file);
    return isKnown ? { email, password: await readFile(file, "utf8") } : null;
  }
  const at = Date.now();
  const password = drawSecret().slice(0, 16);
  await writeFile(file, password, { mode: 0o600 });
  const hash = await new Passwords().hash(password, { holder: "", isKnown: true });
  for (const [address, role, name] of accounts) {
    const invitationHash = hashSecret(drawSecret());
    await access.changeOperator(address, { role, invitationHash }, { operator: "npm run dev", at });
    await access.acceptInvitation(invitationHash, hash, at, name);
  }
  return { email, password };
}
