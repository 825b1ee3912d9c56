// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/load/spare_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <string>
#include <type_traits>

namespace hilo::cpu {
namespace {

constexpr size_t kMaxBytes = size_t{64} << 20;  // of address space; a page uses memory once it is written
constexpr size_t kMinBytes = size_t{4} << 20;   // if the address space is limited
constexpr size_t kWorthReturning = size_t{1} << 20;
constexpr size_t kNewAlignment = 16;  // alignment of operator new by default

thread_local int scopes = 0;
thread_local bool was_used = false;
thread_local bool ran_out = false;

/// The header in front of each piece.
struct Header {
  uint32_t size_class;  ///< the block has 2^size_class bytes
  uint32_t offset;      ///< offset of the piece in its block
};

struct FreeBlock {
  FreeBlock* next;
};

/// Blocks of powers of two from one mapping. Freed blocks are in a list of their size. When all are free, the mapping
/// is one block again.
struct Spare {
  std::mutex mutex;
  std::atomic<std::byte*> begin{nullptr};
  std::atomic<size_t> size{0};
  size_t top = 0;  ///< bytes that were ever allocated
  size_t live = 0;
  std::array<FreeBlock*, 33> free{};

  void map();
  void* allocate(size_t bytes, size_t alignment);
  /// Whether the piece is in the mapping, by one comparison, because every free of the library calls this. Before map()
  /// there are 0 bytes. A thread that reads the size also sees the beginning.
  bool owns(const void* piece) const {
    const size_t bytes = size.load(std::memory_order_acquire);
    return reinterpret_cast<uintptr_t>(piece) - reinterpret_cast<uintptr_t>(begin.load(std::memory_order_relaxed)) <
           bytes;
  }
  void free_piece(void* piece);
};

void Spare::map() {
  const std::lock_guard lock(mutex);
  for (size_t bytes = kMaxBytes; begin.load() == nullptr && bytes >= kMinBytes; bytes /= 2) {
    void* block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED) continue;
    begin.store(static_cast<std::byte*>(block));
    size.store(bytes);
  }
}

void* Spare::allocate(size_t bytes, size_t alignment) {
  alignment = std::max(alignment, kNewAlignment);
  if (bytes > kMaxBytes || alignment > kMaxBytes) return nullptr;
  const size_t block_bytes = std::bit_ceil(bytes + alignment);
  const auto size_class = static_cast<uint32_t>(std::countr_zero(block_bytes));
  const std::lock_guard lock(mutex);
  std::byte* block = nullptr;
  if (free[size_class] != nullptr) {
    block = reinterpret_cast<std::byte*>(free[size_class]);
    free[size_class] = free[size_class]->next;
  } else if (top + block_bytes <= size.load()) {
    block = begin.load() + top;
    top += block_bytes;
  } else {
    return nullptr;
  }
  ++live;
  // A block begins at a multiple of kNewAlignment, so the piece begins at least one header after it.
  const auto address = reinterpret_cast<uintptr_t>(block);
  const uintptr_t piece = (address + kNewAlignment + alignment - 1) / alignment * alignment;
  reinterpret_cast<Header*>(piece)[-1] = {size_class, static_cast<uint32_t>(piece - address)};
  return reinterpret_cast<void*>(piece);
}

void Spare::free_piece(void* piece) {
  const Header header = static_cast<Header*>(piece)[-1];
  auto* block = reinterpret_cast<FreeBlock*>(static_cast<std::byte*>(piece) - header.offset);
  const std::lock_guard lock(mutex);
  block->next = free[header.size_class];
  free[header.size_class] = block;
  if (--live > 0) return;
  if (top > kWorthReturning) ::madvise(begin.load(), top, MADV_DONTNEED);
  top = 0;
  free.fill(nullptr);
}

// No code constructs or destroys it: memory is freed before and after everything else.
static_assert(std::is_trivially_destructible_v<Spare>);
constinit Spare spare;

void* allocate_spare(size_t bytes, size_t alignment) {
  if (scopes == 0) return nullptr;
  was_used = true;
  void* piece = spare.allocate(bytes, alignment);
  ran_out |= piece == nullptr;
  return piece;
}

/// Returns the result of `real`, a call of the process's operator new that throws without memory.
template <typename Real>
void* or_spare(size_t bytes, size_t alignment, const Real& real) {
  try {
    return real();
  } catch (const std::bad_alloc&) {
    if (void* piece = allocate_spare(bytes, alignment)) return piece;
    throw;
  }
}

/// The same for an operator that returns null.
void* or_spare(size_t bytes, size_t alignment, void* memory) {
  return memory != nullptr ? memory : allocate_spare(bytes, alignment);
}

constexpr size_t number(std::align_val_t alignment) { return static_cast<size_t>(alignment); }

}  // namespace

SpareMemory::SpareMemory() {
  if (scopes++ > 0) return;
  was_used = ran_out = false;
  spare.map();
}
SpareMemory::~SpareMemory() { --scopes; }
bool SpareMemory::used() const { return was_used; }
bool SpareMemory::active() { return scopes > 0; }
bool SpareMemory::exhausted() const { return ran_out; }

}  // namespace hilo::cpu

// For each operator (its mangled name), defines the function that the library calls instead. `__real_...` is the
// process's own.
#define HILO_WRAPPED_NEW(name, parameters, arguments, alignment)                \
  extern "C" void* __real_##name parameters;                                    \
  extern "C" void* __wrap_##name parameters;                                    \
  extern "C" void* __wrap_##name parameters {                                   \
    using namespace hilo::cpu;                                                  \
    return or_spare(bytes, alignment, [&] { return __real_##name arguments; }); \
  }
#define HILO_WRAPPED_NOTHROW_NEW(name, parameters, arguments, alignment) \
  extern "C" void* __real_##name parameters;                             \
  extern "C" void* __wrap_##name parameters;                             \
  extern "C" void* __wrap_##name parameters {                            \
    using namespace hilo::cpu;                                           \
    return or_spare(bytes, alignment, __real_##name arguments);          \
  }
#define HILO_WRAPPED_DELETE(name, parameters, arguments) \
  extern "C" void __real_##name parameters;              \
  extern "C" void __wrap_##name parameters;              \
  extern "C" void __wrap_##name parameters {             \
    using hilo::cpu::spare;                              \
    if (spare.owns(piece)) [[unlikely]]                  \
      spare.free_piece(piece);                           \
    else __real_##name arguments;                        \
  }

HILO_WRAPPED_NEW(_Znwm, (size_t bytes), (bytes), 1)
HILO_WRAPPED_NEW(_Znam, (size_t bytes), (bytes), 1)
HILO_WRAPPED_NEW(_ZnwmSt11align_val_t, (size_t bytes, std::align_val_t alignment), (bytes, alignment),
                 number(alignment))
HILO_WRAPPED_NEW(_ZnamSt11align_val_t, (size_t bytes, std::align_val_t alignment), (bytes, alignment),
                 number(alignment))
HILO_WRAPPED_NOTHROW_NEW(_ZnwmRKSt9nothrow_t, (size_t bytes, const std::nothrow_t& tag), (bytes, tag), 1)
HILO_WRAPPED_NOTHROW_NEW(_ZnamRKSt9nothrow_t, (size_t bytes, const std::nothrow_t& tag), (bytes, tag), 1)
HILO_WRAPPED_NOTHROW_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t,
                         (size_t bytes, std::align_val_t alignment, const std::nothrow_t& tag), (bytes, alignment, tag),
                         number(alignment))
HILO_WRAPPED_NOTHROW_NEW(_ZnamSt11align_val_tRKSt9nothrow_t,
                         (size_t bytes, std::align_val_t alignment, const std::nothrow_t& tag), (bytes, alignment, tag),
                         number(alignment))
HILO_WRAPPED_DELETE(_ZdlPv, (void* piece), (piece))
HILO_WRAPPED_DELETE(_ZdaPv, (void* piece), (piece))
HILO_WRAPPED_DELETE(_ZdlPvm, (void* piece, size_t bytes), (piece, bytes))
HILO_WRAPPED_DELETE(_ZdaPvm, (void* piece, size_t bytes), (piece, bytes))
HILO_WRAPPED_DELETE(_ZdlPvSt11align_val_t, (void* piece, std::align_val_t alignment), (piece, alignment))
HILO_WRAPPED_DELETE(_ZdaPvSt11align_val_t, (void* piece, std::align_val_t alignment), (piece, alignment))
HILO_WRAPPED_DELETE(_ZdlPvmSt11align_val_t, (void* piece, size_t bytes, std::align_val_t alignment),
                    (piece, bytes, alignment))
HILO_WRAPPED_DELETE(_ZdaPvmSt11align_val_t, (void* piece, size_t bytes, std::align_val_t alignment),
                    (piece, bytes, alignment))
HILO_WRAPPED_DELETE(_ZdlPvRKSt9nothrow_t, (void* piece, const std::nothrow_t& tag), (piece, tag))
HILO_WRAPPED_DELETE(_ZdaPvRKSt9nothrow_t, (void* piece, const std::nothrow_t& tag), (piece, tag))
HILO_WRAPPED_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t,
                    (void* piece, std::align_val_t alignment, const std::nothrow_t& tag), (piece, alignment, tag))
HILO_WRAPPED_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t,
                    (void* piece, std::align_val_t alignment, const std::nothrow_t& tag), (piece, alignment, tag))

// LLVM is C++17 and calls members of std::string in libstdc++.so, whose memory wouldn't be allocated here. With these
// instances inside the library, such calls stay in it.
template class std::basic_string<char>;
