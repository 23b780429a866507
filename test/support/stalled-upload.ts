// An application whose resume is on its way and does not end by itself.
import { once } from "node:events";
import { request } from "node:http";
import { addresses, applicant } from "./doors.ts";

export function beginUpload({ url }: { readonly url: string }) {
  const fields = Object.entries(applicant)
    .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join("");
  const sending = request(url + addresses["applications.submit"], {
    method: "POST",
    headers: { "content-type": "multipart/form-data; boundary=b" },
  });
  sending.write(
    `${fields}--b\r\nContent-Disposition: form-data; name="resumeFile"; filename="r.pdf"\r\n\r\n%PDF-1.7\n`,
  );
  const answered = once(sending, "response");
  const cut = once(sending, "error");
  for (const one of [answered, cut]) one.catch(() => {});
  return {
    cut,
    async end(): Promise<number> {
      sending.end("trailer\nstartxref\n0\n%%EOF\n\r\n--b--\r\n");
      const [response] = (await answered) as [{ readonly statusCode: number }];
      return response.statusCode;
    },
  };
}
