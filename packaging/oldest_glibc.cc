// SPDX-License-Identifier: Apache-2.0
// oldest_glibc.cc -- makes the libraries of the wheel run with glibc 2.28 although they are built with a newer one. The
// linker's option --wrap (cmake/portable.cmake) sends each call of NAME to __wrap_NAME here. Symbols that 2.28 has with
// an older version are bound to that version; functions newer than 2.28 are implemented by older ones.
// Source: the symbol versions of glibc's x86-64 libraries; functions by their manual pages.
#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

// clang-format off
#define HILO_OLD(version, result, name, parameters, arguments)           \
  extern "C" result old_##name parameters;                               \
  __asm__(".symver old_" #name "," #name "@GLIBC_" version);             \
  extern "C" result __wrap_##name parameters { return old_##name arguments; }

// 2.29 and 2.35: new versions that set no errno, or round better.
HILO_OLD("2.2.5", double, exp, (double x), (x))
HILO_OLD("2.2.5", double, exp2, (double x), (x))
HILO_OLD("2.2.5", double, log, (double x), (x))
HILO_OLD("2.2.5", double, log2, (double x), (x))
HILO_OLD("2.2.5", double, pow, (double x, double y), (x, y))
HILO_OLD("2.2.5", double, hypot, (double x, double y), (x, y))
HILO_OLD("2.2.5", float, hypotf, (float x, float y), (x, y))

// 2.33: functions that were inline calls of these.
HILO_OLD("2.2.5", int, __xstat, (int version, const char* path, struct stat* to), (version, path, to))
HILO_OLD("2.2.5", int, __lxstat, (int version, const char* path, struct stat* to), (version, path, to))
HILO_OLD("2.2.5", int, __fxstat, (int version, int file, struct stat* to), (version, file, to))

// 2.32 and 2.34: libdl, libpthread and librt became parts of libc.
HILO_OLD("2.2.5", void*, dlopen, (const char* file, int mode), (file, mode))
HILO_OLD("2.2.5", void*, dlsym, (void* handle, const char* name), (handle, name))
HILO_OLD("2.2.5", int, dlclose, (void* handle), (handle))
HILO_OLD("2.2.5", char*, dlerror, (), ())
HILO_OLD("2.2.5", int, dladdr, (const void* address, Dl_info* to), (address, to))
HILO_OLD("2.2.5", int, pthread_create, (pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument),
         (thread, attributes, start, argument))
HILO_OLD("2.2.5", int, pthread_join, (pthread_t thread, void** result), (thread, result))
HILO_OLD("2.2.5", int, pthread_detach, (pthread_t thread), (thread))
HILO_OLD("2.2.5", int, pthread_once, (pthread_once_t* once, void (*function)()), (once, function))
HILO_OLD("2.2.5", int, pthread_mutex_trylock, (pthread_mutex_t* mutex), (mutex))
HILO_OLD("2.2.5", int, pthread_rwlock_rdlock, (pthread_rwlock_t* lock), (lock))
HILO_OLD("2.2.5", int, pthread_rwlock_wrlock, (pthread_rwlock_t* lock), (lock))
HILO_OLD("2.2.5", int, pthread_rwlock_unlock, (pthread_rwlock_t* lock), (lock))
HILO_OLD("2.2.5", int, pthread_key_create, (pthread_key_t* key, void (*destroy)(void*)), (key, destroy))
HILO_OLD("2.2.5", int, pthread_key_delete, (pthread_key_t key), (key))
HILO_OLD("2.2.5", void*, pthread_getspecific, (pthread_key_t key), (key))
HILO_OLD("2.2.5", int, pthread_setspecific, (pthread_key_t key, const void* value), (key, value))
HILO_OLD("2.2.5", int, pthread_sigmask, (int how, const sigset_t* set, sigset_t* old), (how, set, old))
HILO_OLD("2.12", int, pthread_setname_np, (pthread_t thread, const char* name), (thread, name))
HILO_OLD("2.3.3", int, timer_create, (clockid_t clock, struct sigevent* event, timer_t* timer), (clock, event, timer))
HILO_OLD("2.3.3", int, timer_settime, (timer_t timer, int flags, const struct itimerspec* value, struct itimerspec* old),
         (timer, flags, value, old))
// clang-format on

extern "C" {

int __wrap_stat(const char* path, struct stat* to) { return old___xstat(1, path, to); }
int __wrap_lstat(const char* path, struct stat* to) { return old___lxstat(1, path, to); }
int __wrap_fstat(int file, struct stat* to) { return old___fxstat(1, file, to); }
int __wrap_fstat64(int file, struct stat* to) { return old___fxstat(1, file, to); }

/// Newer than 2.28: whether the process has had only one thread. "No" is always safe.
char __wrap___libc_single_threaded = 0;

/// Needed by LLVM's statistics, which hilo doesn't print.
struct mallinfo2 __wrap_mallinfo2() { return {}; }

const char* __wrap_strerrordesc_np(int code) { return strerror(code); }

uint32_t __wrap_arc4random() {
  uint32_t number = 0;
  while (getentropy(&number, sizeof number) != 0) {
  }
  return number;
}

int __wrap_close_range(unsigned first, unsigned last, int flags) {
  return static_cast<int>(syscall(SYS_close_range, first, last, flags));
}

/// The open files. Files that are opened later are closed by exec.
int __wrap_posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t* actions, int from) {
  DIR* const files = opendir("/proc/self/fd");
  if (files == nullptr) return errno;
  int error = 0;
  while (const dirent* const entry = readdir(files)) {
    const int file = atoi(entry->d_name);  // "." and ".." give 0
    if (file >= from && file > 0 && file != dirfd(files) && error == 0)
      error = posix_spawn_file_actions_addclose(actions, file);
  }
  closedir(files);
  return error;
}

/// Waits until a time of `clock`; older glibc supports only the clock of the condition, which for C++ is the real-time
/// clock.
int __wrap_pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until) {
  struct timespec now, real;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t left = (until->tv_sec - now.tv_sec) * kSecond + (until->tv_nsec - now.tv_nsec);
  const int64_t end = real.tv_sec * kSecond + real.tv_nsec + left;
  const struct timespec target {end / kSecond, end % kSecond};
  return pthread_cond_timedwait(condition, mutex, &target);
}

// 2.34: the C library calls the constructors of a program; earlier, a function did that which was linked into it.
using Constructor = void (*)(int, char**, char**);
extern __attribute__((visibility("hidden"))) const Constructor __init_array_start[];
extern __attribute__((visibility("hidden"))) const Constructor __init_array_end[];

int old___libc_start_main(int (*main)(int, char**, char**), int count, char** values, Constructor start, void (*end)(),
                          void (*loader_end)(), void* stack);
__asm__(".symver old___libc_start_main,__libc_start_main@GLIBC_2.2.5");

int __wrap___libc_start_main(int (*main)(int, char**, char**), int count, char** values, Constructor, void (*end)(),
                             void (*loader_end)(), void* stack) {
  const Constructor start = [](int count, char** values, char** variables) {
    for (const Constructor* next = __init_array_start; next != __init_array_end; ++next) (*next)(count, values, variables);
  };
  return old___libc_start_main(main, count, values, start, end, loader_end, stack);
}
}
