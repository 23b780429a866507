// What composing needs to know of the configuration, for the service and for the preview of the command line.
import { titlesOf } from "./config/catalogue.ts";
import type { Config } from "./config/config.ts";
import { disposableHosts } from "./mail/disposable.ts";
import type { MailSettings } from "./mail/templates/layout.ts";

/** What is known only while the service runs is left out. */
export const mailSettingsOf = (config: Config): Omit<MailSettings, "publicUrl" | "receiptId" | "answerTo"> => ({
  brand: config.brand,
  ...config.mailLook,
  languages: config.languages,
  teams: config.addresses.teams,
  packageTitles: titlesOf(config.knownPackages),
  isDisposable: disposableHosts(config.disposableDomains),
  digestTo: config.digest?.to ?? [],
});
