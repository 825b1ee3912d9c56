// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/load/jit_symbols.h"

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <ranges>
#include <string>

#include "hilo/base/files.h"
#include "hilo/base/log.h"
#include "hilo/base/text.h"

// gdb defines the names, fields and numbers: it looks up these symbols in the running process.
extern "C" {
struct jit_code_entry {
  jit_code_entry* next_entry;
  jit_code_entry* prev_entry;
  const char* symfile_addr;
  uint64_t symfile_size;
};
struct jit_descriptor {
  uint32_t version;
  uint32_t action_flag;  // 0 none, 1 register, 2 unregister
  jit_code_entry* relevant_entry;
  jit_code_entry* first_entry;
};
__attribute__((visibility("default"))) jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
// gdb sets a breakpoint here; the empty statement keeps the call.
__attribute__((visibility("default"), noinline)) void __jit_debug_register_code() { asm volatile("" ::: "memory"); }
}

namespace hilo::cpu {
namespace {

constexpr uint32_t kRegister = 1, kUnregister = 2;

// Never destroyed: code may be released while the process ends.
std::mutex& gdb_mutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

void tell_gdb(uint32_t action, jit_code_entry& entry) {
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_descriptor.relevant_entry = &entry;
  __jit_debug_register_code();
}

/// Returns the file with the address of each loaded section in its header, which gdb reads.
std::string placed_file(const LoadedObject& object) {
  std::string file(object.file.begin(), object.file.end());
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof(header));
  for (size_t i = 0; i < object.sections.size(); ++i) {
    const auto address = reinterpret_cast<uint64_t>(object.sections[i]);
    char* field = file.data() + header.e_shoff + i * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_addr);
    std::memcpy(field, &address, sizeof(address));
  }
  return file;
}

void append_to_perf_map(const LoadedObject& object) {
  std::string lines;
  for (const LoadedFunction& f : object.functions)
    lines += fmt::format("{:x} {:x} {}\n", reinterpret_cast<uintptr_t>(f.address), f.bytes, f.name);
  const Status written = append_to_own_file(fmt::format("/tmp/perf-{}.map", getpid()), lines);
  if (!written.ok()) log_warning_once("perf map", "{}", written.to_string());
}

}  // namespace

struct GdbEntry::Impl {
  std::string file;
  jit_code_entry entry;
};

GdbEntry::GdbEntry(const LoadedObject& object) : impl_(std::make_unique<Impl>()) {
  impl_->file = placed_file(object);
  const std::scoped_lock lock(gdb_mutex());
  jit_code_entry*& first = __jit_debug_descriptor.first_entry;
  impl_->entry = {first, nullptr, impl_->file.data(), impl_->file.size()};
  if (first != nullptr) first->prev_entry = &impl_->entry;
  first = &impl_->entry;
  tell_gdb(kRegister, impl_->entry);
}

GdbEntry::~GdbEntry() {
  const std::scoped_lock lock(gdb_mutex());
  jit_code_entry& entry = impl_->entry;
  (entry.prev_entry != nullptr ? entry.prev_entry->next_entry : __jit_debug_descriptor.first_entry) = entry.next_entry;
  if (entry.next_entry != nullptr) entry.next_entry->prev_entry = entry.prev_entry;
  tell_gdb(kUnregister, entry);
}

std::unique_ptr<GdbEntry> publish_symbols(const LoadedObject& object) {
  const char* text = std::getenv("HILO_JIT_SYMBOLS");
  if (text == nullptr || *text == '\0') return nullptr;
  bool gdb = false;
  for (const auto part : std::views::split(std::string_view(text), ',')) {
    const std::string_view whom(part.begin(), part.end());
    if (whom == "perf") append_to_perf_map(object);
    else if (whom == "gdb") gdb = true;
    else log_warning_once("HILO_JIT_SYMBOLS", "HILO_JIT_SYMBOLS: got {}; wanted perf, gdb or perf,gdb", quote(whom));
  }
  return gdb ? std::make_unique<GdbEntry>(object) : nullptr;
}

}  // namespace hilo::cpu
