// Programs, which are no files of replies: by the extension of their name, by their first bytes, or as part of a ZIP file.
import { zipHolds } from "./formats/zip.ts";
import { StagedBytes } from "./staged-bytes.ts";

const extensions = new Set(
  (
    "ade adp apk app appx appxbundle bash bat cab chm class cmd com command cpl csh deb diagcab dll dmg dylib elf exe " +
    "gadget hta img inf ins iso isp jar jnlp js jse ksh lib lnk mde mjs msc msh msi msix msixbundle msp mst pif pkg ps1 " +
    "ps1xml psc1 psm1 reg rpm run scf scr sct sh shb shs so sys tcsh url vb vbe vbs vhd vhdx vxd war wsc wsf wsh xbap xll zsh"
  ).split(" "),
);

const beginnings = [
  ["Windows and DOS", "4d5a"],
  ["Linux", "7f454c46"],
  ["macOS", "feedface"],
  ["macOS", "feedfacf"],
  ["macOS", "cefaedfe"],
  ["macOS", "cffaedfe"],
  ["macOS, of several processors, and Java", "cafebabe"],
  ["Android", "6465780a"],
  ["WebAssembly", "0061736d"],
  ["a shortcut of Windows", "4c0000000114"],
  ["a script", "2321"],
  ["a script behind a byte-order mark", "efbbbf2321"],
] as const;
const beginningBytes = 8;

/** Windows passes over dots and blanks at the end, and over what stands behind a colon. Work is in proportion to the length. */
export const hasProgramName = (name: string): boolean =>
  extensions.has(/\.([^.:\s]+)[.\s]*(?::|$)/.exec(name)?.[1]?.toLowerCase() ?? "");

export async function isProgramAt(path: string): Promise<boolean> {
  await using bytes = await StagedBytes.open(path);
  const begin = (await bytes.read(0, beginningBytes)).toString("hex");
  return beginnings.some(([, program]) => begin.startsWith(program)) || (await zipHolds(bytes, hasProgramName));
}
