// SPDX-License-Identifier: Apache-2.0
// tests/interop/caller_sizes.cc -- a plugin that passes all calls to the plugin in SIZES_OF. Writes the sizes of the
// caller's structs to the file SIZES_TO, one line "name theirs ours" each.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include "hilo/pjrt_abi/api.h"

namespace {

struct Sizes {
  size_t theirs, ours;
};

std::mutex mutex;
std::map<std::string, Sizes>& sizes() {
  static auto* const all = new std::map<std::string, Sizes>;
  return *all;
}

const PJRT_Api* inner = nullptr;

template <class Struct>
void note(const char* name, const Struct* args) {
  if (args == nullptr) return;
  const std::scoped_lock lock(mutex);
  sizes()[name] = {args->struct_size, kPjrtStructSize<Struct>};
}

void note_inner(const void*) {}
void note_inner(const PJRT_LoadedExecutable_Execute_Args* args) { note("PJRT_ExecuteOptions", args->options); }
void note_inner(const PJRT_Client_Compile_Args* args) { note("PJRT_Program", args->program); }
void note_inner(const PJRT_Client_Create_Args* args) {
  if (args->num_options != 0) note("PJRT_NamedValue", args->create_options);
}
void note_inner(const PJRT_Executable_DeserializeAndLoad_Args* args) {
  if (args->struct_size >= sizeof(*args)) note("PJRT_LoadOptions", args->load_options);
}

#define HILO_PJRT_SLOT(result, name)       \
  result noted_##name(name##_Args* args) { \
    note(#name, args);                     \
    note_inner(args);                      \
    return inner->name(args);              \
  }
#include "hilo/pjrt_abi/slots.inc"

void write_sizes() {
  std::FILE* const file = std::fopen(std::getenv("SIZES_TO"), "w");
  for (const auto& [name, size] : sizes()) std::fprintf(file, "%s %zu %zu\n", name.c_str(), size.theirs, size.ours);
  std::fclose(file);
}

}  // namespace

extern "C" const PJRT_Api* GetPjrtApi() {
  static PJRT_Api table = [] {
    void* const library = dlopen(std::getenv("SIZES_OF"), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) std::fprintf(stderr, "%s\n", dlerror());
    inner = reinterpret_cast<PJRT_GetApi>(dlsym(library, "GetPjrtApi"))();
    PJRT_Api made = *inner;
#define HILO_PJRT_SLOT(result, name) made.name = noted_##name;
#include "hilo/pjrt_abi/slots.inc"
    std::atexit(write_sizes);
    return made;
  }();
  return &table;
}
