// What composing mails needs to know of an installation, taken from its configuration. Above the layers, because the
// service and the command line both compose.
import { publicUrl, type Config } from "./config/config.ts";
import type { MailSettings } from "./mail/compose.ts";

/** @param port asked for at each mail: with port 0 it is known only once the server listens */
export function mailSettings(config: Config, port: () => number): MailSettings {
  return {
    brand: config.addresses.from.name ?? config.addresses.from.address,
    get publicUrl() {
      return publicUrl(config, port());
    },
    salesTo: config.addresses.sales,
    recruitingTo: config.addresses.recruiting,
    packageTitles: config.packageTitles ?? undefined,
  };
}
