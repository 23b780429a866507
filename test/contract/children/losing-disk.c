// A disk that fails to sync SQLite's log. Loaded with LD_PRELOAD. What the disk has stands in `…-wal.disk`. While a file
// `…-wal.fails` exists, syncs fail. While `…-wal.loses` exists as well, the log then reads as the disk has it: the kernel has
// forgotten the pages that it could not write.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void copy(const char *from, const char *to) {
  char bytes[65536];
  int source = open(from, O_RDONLY), target = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  for (ssize_t count; source >= 0 && (count = read(source, bytes, sizeof bytes)) > 0;)
    if (write(target, bytes, count) != count) break;
  if (source >= 0) close(source);
  close(target);
}

static int sync_file(int file, int (*real)(int)) {
  char link[64], path[4096], disk[4200], fails[4200], loses[4200];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 4 || memcmp(path + length - 4, "-wal", 4) != 0) return real(file);
  path[length] = 0;
  snprintf(disk, sizeof disk, "%s.disk", path);
  snprintf(fails, sizeof fails, "%s.fails", path);
  snprintf(loses, sizeof loses, "%s.loses", path);
  if (access(fails, F_OK) != 0) {
    int result = real(file);
    if (result == 0) copy(path, disk);
    return result;
  }
  if (access(loses, F_OK) == 0) copy(disk, path);
  errno = EIO;
  return -1;
}

#define SYNC(name)                                    \
  int name(int file) {                                \
    static int (*real)(int);                          \
    if (real == NULL) real = dlsym(RTLD_NEXT, #name); \
    return sync_file(file, real);                     \
  }

SYNC(fsync)
SYNC(fdatasync)
