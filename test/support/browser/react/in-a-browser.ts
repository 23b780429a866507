// Makes the page that the server has rendered alive.
import { createElement as h, StrictMode } from "react";
import { hydrateRoot } from "react-dom/client";
import { Page } from "./page.ts";

// A page that is slow to hydrate: its forms are alive long before.
if (location.hash === "#late") await new Promise((hydrate) => addEventListener("hydrate", hydrate, { once: true }));
const root = document.getElementById("root")!;
hydrateRoot(root, h(StrictMode, null, h(Page, { endpoint: root.dataset["endpoint"]! })));
