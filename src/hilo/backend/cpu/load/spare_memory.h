// SPDX-License-Identifier: Apache-2.0
// backend/cpu/load/spare_memory.h -- what LLVM gets where operator new fails.
#pragma once

namespace hilo::cpu {

/// LLVM is compiled without exceptions. A std::bad_alloc that passed through its frames would skip their destructors, and
/// leave locks taken and tables half made. So while a SpareMemory lives, operator new as called from libhilo.so doesn't
/// fail on this thread: what it can't have comes from a block of address space that is kept for that. LLVM runs to its
/// end, the caller asks used(), drops what was made and reports the failure.
///
/// cmake/wrapped.cmake has the library's calls of operator new and delete linked to the functions in spare_memory.cc.
class SpareMemory {
 public:
  SpareMemory();
  ~SpareMemory();
  SpareMemory(const SpareMemory&) = delete;
  SpareMemory& operator=(const SpareMemory&) = delete;

  /// Operator new has failed on this thread since the outermost SpareMemory was made.
  bool used() const;
  /// Does one live on this thread?
  static bool active();
  /// So much that there was no spare memory left: a std::bad_alloc has been thrown, perhaps through LLVM's frames.
  bool exhausted() const;
};

}  // namespace hilo::cpu
