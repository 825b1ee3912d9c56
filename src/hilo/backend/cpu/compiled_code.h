// SPDX-License-Identifier: Apache-2.0
// backend/cpu/compiled_code.h -- machine code in memory: a small ELF object loader and the handle that owns
// the result.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "hilo/backend/cpu/jit_symbols.h"
#include "hilo/base/status.h"

namespace hilo::cpu {

/// Executable memory with the functions of one object file. Pages are never writable and executable at once.
/// The code lives as long as the handle: hold it while calling what lookup() gave.
class CompiledCode {
 public:
  CompiledCode(std::byte* base, std::size_t size, std::map<std::string, void*, std::less<>> functions,
               std::unique_ptr<GdbEntry> gdb)
      : base_(base), size_(size), functions_(std::move(functions)), gdb_(std::move(gdb)) {}
  ~CompiledCode();
  CompiledCode(const CompiledCode&) = delete;
  CompiledCode& operator=(const CompiledCode&) = delete;

  /// The function of that name, or null.
  void* lookup(std::string_view name) const;

  /// Bytes of mapped memory, whole pages.
  std::size_t size() const { return size_; }

 private:
  std::byte* base_;
  std::size_t size_;
  std::map<std::string, void*, std::less<>> functions_;
  std::unique_ptr<GdbEntry> gdb_;
};

/// Loads a relocatable x86-64 ELF object whose undefined symbols are all runtime symbols (runtime/symbols.h).
/// Errors: INTERNAL for a malformed object, an unknown symbol, a relocation or section kind outside the
/// accepted set;
///         RESOURCE_EXHAUSTED if no memory can be mapped. Cost: about 10 us and three system calls.
StatusOr<std::shared_ptr<CompiledCode>> load_object(std::span<const char> object);

}  // namespace hilo::cpu
