// The address of the service for forms that name none: the folder of the script as the service serves it. Imported first,
// because elements that stand in the page start when they are defined.
import { serveFrom } from "./form-config.ts";

// Apart from its use: bundlers take `new URL` of it for a file that they should copy.
const script = import.meta.url;

serveFrom(new URL("./", script).href);
