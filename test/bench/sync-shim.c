// Counts the syncs of a process and makes each of them slower. Loaded with LD_PRELOAD; the file that SYNC_SHIM_FILE names
// holds the count and the delay in µs, so that both can be read and changed while the process runs.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct {
  uint64_t count;
  uint64_t delay_micros;
} *shared;

__attribute__((constructor)) static void open_shared(void) {
  const char *path = getenv("SYNC_SHIM_FILE");
  int file = path == NULL ? -1 : open(path, O_RDWR);
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) shared = mapped;
  close(file);
}

static int note(int result) {
  if (shared == NULL) return result;
  __atomic_add_fetch(&shared->count, 1, __ATOMIC_RELAXED);
  uint64_t micros = __atomic_load_n(&shared->delay_micros, __ATOMIC_RELAXED);
  struct timespec pause = {micros / 1000000, micros % 1000000 * 1000};
  if (micros > 0) nanosleep(&pause, NULL);
  return result;
}

#define SYNC(name)                                     \
  int name(int file) {                                 \
    static int (*real)(int);                           \
    if (real == NULL) real = dlsym(RTLD_NEXT, #name);  \
    return note(real(file));                           \
  }

SYNC(fsync)
SYNC(fdatasync)
