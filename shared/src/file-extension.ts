// The extension of a file name, for the service and for the forms.

// Extensions of documents, tables, slides, pictures, archives, mails and programs. Names of people end in dots and letters
// too: Ph.D, M.Com, B.Tech.
const known = new RegExp(
  "\\.(?:pdf|do[ct][mx]?|odt|ott|rtf|txt|x?html?|xml|mht|pages|wp[ds]|xls[bmx]?|csv|ods|numbers|pp[st][mx]?|odp|jpe?g|png|gif|bmp|" +
    "tiff?|webp|heic|svg|zip|rar|7z|t?gz|tar|exe|msi|scr|bat|cmd|ps1|vbs|js|jar|apk|sh|php|hta|lnk|iso|dmg|dll|eml|msg)$",
  "i",
);

/** The extension of a file name in lower case, without its dot; empty when it ends in none that is known. */
export const extensionOf = (filename: string): string => known.exec(filename)?.[0].slice(1).toLowerCase() ?? "";
