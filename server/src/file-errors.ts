// Errors of the operating system, and what a file or folder that is not there stands for.

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
