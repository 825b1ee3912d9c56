// SPDX-License-Identifier: Apache-2.0
// backend/cpu/load/spare_memory.h -- the memory that LLVM receives when operator new fails.
#pragma once

namespace hilo::cpu {

/// LLVM is compiled without exceptions. A std::bad_alloc that passed through its frames would skip their destructors,
/// and leave locked mutexes and incomplete tables. So while a SpareMemory exists, operator new as called from
/// libhilo.so doesn't fail on this thread: if no memory is available, it allocates from a reserved block of address
/// space. LLVM finishes, and the caller tests used(), drops the results and reports the failure.
///
/// cmake/wrapped.cmake links the library's calls of operator new and delete to the functions in spare_memory.cc.
class SpareMemory {
 public:
  SpareMemory();
  ~SpareMemory();
  SpareMemory(const SpareMemory&) = delete;
  SpareMemory& operator=(const SpareMemory&) = delete;

  /// Whether operator new has failed on this thread since the outermost SpareMemory was created.
  bool used() const;
  /// Whether one exists on this thread.
  static bool active();
  /// Whether even the spare memory was used up: a std::bad_alloc has been thrown, perhaps through LLVM's frames.
  bool exhausted() const;
};

}  // namespace hilo::cpu
