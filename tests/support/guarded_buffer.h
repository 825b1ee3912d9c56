// SPDX-License-Identifier: Apache-2.0
// tests/support/guarded_buffer.h -- memory between two protected pages. Sanitizers don't instrument generated code, but
// an access outside the buffer ends the test.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

namespace hilo::testing {

enum class Snug { kEnd, kBegin };  ///< which end of the buffer touches its guard page

/// `bytes` bytes of zeroed memory right before a PROT_NONE page (kEnd) or right after one (kBegin).
class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::size_t bytes, Snug snug = Snug::kEnd) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inside = (bytes + page - 1) / page * page;
    size_ = inside + 2 * page;
    base_ = static_cast<std::byte*>(mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED) std::abort();
    if (inside != 0 && mprotect(base_ + page, inside, PROT_READ | PROT_WRITE) != 0) std::abort();
    data_ = snug == Snug::kBegin ? base_ + page : base_ + page + inside - bytes;
  }
  ~GuardedBuffer() { munmap(base_, size_); }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* base_;
  std::byte* data_;
  std::size_t size_;
};

}  // namespace hilo::testing
