// What the system says of files: which errors are its own, and that a file or folder is not there.

export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "syscall" in error;

export const isMissing = (error: unknown): boolean => isSystemError(error) && error.code === "ENOENT";

/** For a `catch`: what stands for a file or folder that is not there. Other errors pass. */
export const ifMissing =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (isMissing(error)) return instead;
    throw error;
  };
