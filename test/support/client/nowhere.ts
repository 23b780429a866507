/** No server listens there: the system gives no port below 1024 to a program that asks for any. */
export const nowhere = "http://127.0.0.1:2";
