// The operator of `npm run dev`: an administrator whose password lies beside the data of the developers' service.
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Passwords } from "./console/password.ts";
import { drawSecret, hashSecret } from "./secrets.ts";
import type { Store } from "./storage/store.ts";

const email = "operator@example.org";

/**
 * Adds the operator where there is none, and tells again later how to sign in. Null: there are other operators, and
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
  const invitationHash = hashSecret(drawSecret());
  await access.invite({ email, role: "admin", invitationHash }, { operator: "npm run dev", at });
  await writeFile(file, password, { mode: 0o600 });
  await access.acceptInvitation(
    invitationHash,
    await new Passwords().hash(password, { network: "", isKnown: true }),
    at,
  );
  return { email, password };
}
