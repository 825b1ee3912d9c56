// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "hilo/base/out_of_memory.h"
#include "hilo/base/text.h"

namespace hilo {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;  // bytes

size_t round_up(size_t bytes, size_t step) { return (bytes + step - 1) / step * step; }

size_t page_bytes() {
  static const size_t bytes = ::sysconf(_SC_PAGESIZE);
  return bytes;
}

void* map(size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// Maps memory that begins at a huge page, so that all of it can consist of them. The kernel may ignore the advice.
void* map_huge(size_t bytes) {
  void* memory = map(bytes + kHugePage);
  if (memory == nullptr) return map(bytes);  // no room for the alignment in the address space
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t aligned = round_up(begin, kHugePage);
  if (aligned != begin) ::munmap(memory, aligned - begin);
  const size_t tail = begin + kHugePage - aligned;
  if (tail != 0) ::munmap(reinterpret_cast<void*>(aligned + bytes), tail);
  ::madvise(reinterpret_cast<void*>(aligned), bytes, MADV_HUGEPAGE);
  return reinterpret_cast<void*>(aligned);
}

// Returns whether the memory can't suffice. A system that overcommits would grant any size and kill the process later.
bool hopeless(size_t bytes) {
  constexpr size_t kLook = size_t{1} << 30;  // bytes; for smaller blocks the check costs more than it saves
  if (bytes < kLook) return false;
  const SystemMemory memory = system_memory();
  return memory.total != 0 && bytes > memory.total + memory.swap;
}

// Returns the number after `key` in /proc/meminfo, in bytes.
uint64_t meminfo_bytes(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(at + key.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  uint64_t kib = 0;
  std::from_chars(text.data(), text.data() + text.size(), kib);
  return kib * 1024;
}

// Returns the bytes of the buffer's pages, without the guard page.
size_t guarded_body(size_t bytes) { return std::max(round_up(bytes, page_bytes()), page_bytes()); }

}  // namespace

void* get_block(size_t bytes) {
  if (hopeless(bytes)) return nullptr;
  if (bytes < kMappedBlock) return std::aligned_alloc(64, bytes);
  return bytes < kHugePageBlock ? map(bytes) : map_huge(bytes);
}

void release_block(void* block, size_t bytes) {
  if (bytes < kMappedBlock) {
    std::free(block);
  } else {
    ::munmap(block, bytes);
  }
}

GuardSide guard_side() {
  static const GuardSide side = [] {
    const char* text = std::getenv("HILO_GUARD");
    return text != nullptr && std::string_view(text) == "begin" ? GuardSide::kBegin : GuardSide::kEnd;
  }();
  return side;
}

void* get_guarded(size_t bytes, GuardSide side) {
  if (bytes > SIZE_MAX / 4 || hopeless(bytes)) return nullptr;
  const size_t page = page_bytes(), body = guarded_body(bytes);
  auto* base = static_cast<std::byte*>(map(body + page));
  if (base == nullptr) return nullptr;
  std::byte* guard = side == GuardSide::kEnd ? base + body : base;
  if (::mprotect(guard, page, PROT_NONE) != 0) {
    ::munmap(base, body + page);
    return nullptr;
  }
  std::byte* data = side == GuardSide::kEnd ? guard - bytes : base + page;
  std::memset(data, 0xFF, bytes);
  return data;
}

void release_guarded(void* data, size_t bytes, GuardSide side) {
  const size_t page = page_bytes(), body = guarded_body(bytes);
  auto* begin = static_cast<std::byte*>(data);
  ::munmap(side == GuardSide::kEnd ? begin + bytes - body : begin - page, body + page);
}

SystemMemory system_memory() {
  char text[4096];  // the lines are among the first
  const int file = ::open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t got = ::read(file, text, sizeof(text));
  ::close(file);
  const std::string_view all(text, got > 0 ? static_cast<size_t>(got) : 0);
  return {meminfo_bytes(all, "MemTotal:"), meminfo_bytes(all, "SwapTotal:"), meminfo_bytes(all, "MemAvailable:")};
}

Status out_of_memory(std::string_view what, uint64_t wanted) try {
  const SystemMemory memory = system_memory();
  std::string message = fmt::format("{}: out of memory; wanted {} ({} bytes); free {} of {}", what, bytes_text(wanted),
                                    wanted, bytes_text(memory.available), bytes_text(memory.total));
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    message += fmt::format("; the process's address space is limited to {}", bytes_text(limit.rlim_cur));
  }
  return resource_exhausted(std::move(message));
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo
