// What composing mails needs to know of an installation, taken from its configuration.
import type { PackageTitles } from "./config/catalogue.ts";
import { publicUrl, type Config } from "./config/config.ts";
import type { MailSettings } from "./mail/compose.ts";
import type { IsDisposable } from "./mail/disposable.ts";

/** @param port asked for at each mail: with port 0 it is known only once the server listens */
export function mailSettings(
  config: Config,
  packageTitles: PackageTitles,
  isDisposable: IsDisposable,
  port: () => number,
): MailSettings {
  return {
    brand: config.brand,
    get publicUrl() {
      return publicUrl(config, port());
    },
    salesTo: config.addresses.sales,
    recruitingTo: config.addresses.recruiting,
    packageTitles,
    isDisposable,
    digestTo: config.digest?.to ?? [],
  };
}
