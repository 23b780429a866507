/** An address of this machine where no server listens: nobody gets a port below 1024 by chance, and `fetch` allows this one. */
export const nowhere = "http://127.0.0.1:2";
