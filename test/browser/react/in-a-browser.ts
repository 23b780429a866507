// Makes the page that the server has rendered alive.
import { createElement as h, StrictMode } from "react";
import { hydrateRoot } from "react-dom/client";
import { Page } from "./page.ts";

const root = document.getElementById("root")!;
hydrateRoot(root, h(StrictMode, null, h(Page, { endpoint: root.dataset["endpoint"]! })));
