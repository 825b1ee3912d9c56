// SPDX-License-Identifier: Apache-2.0
// backend/cpu/load/compiled_code.h -- machine code in memory: a small ELF object loader and the handle that owns
// the result.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "hilo/backend/cpu/load/jit_symbols.h"
#include "hilo/base/status.h"
#include "hilo/engine/target.h"

namespace hilo::cpu {

/// Executable memory with the functions of one object file. Pages are never writable and executable at once. The code
/// lives as long as the handle: hold it while you call functions from lookup().
class CompiledCode {
 public:
  CompiledCode(engine::ObjectPtr object, std::byte* base, std::size_t size,
               std::map<std::string, void*, std::less<>> functions, std::unique_ptr<GdbEntry> gdb)
      : object_(std::move(object)), base_(base), size_(size), functions_(std::move(functions)), gdb_(std::move(gdb)) {}
  ~CompiledCode();
  CompiledCode(const CompiledCode&) = delete;
  CompiledCode& operator=(const CompiledCode&) = delete;

  /// Returns the function of that name, or null.
  void* lookup(std::string_view name) const;

  /// Returns the object that the code was loaded from.
  const engine::ObjectPtr& object() const { return object_; }

  /// Returns the bytes of mapped memory, whole pages.
  std::size_t size() const { return size_; }

 private:
  engine::ObjectPtr object_;
  std::byte* base_;
  std::size_t size_;
  std::map<std::string, void*, std::less<>> functions_;
  std::unique_ptr<GdbEntry> gdb_;
};

/// Loads a relocatable ELF object of this machine whose undefined symbols are all runtime symbols (library/symbols.h).
/// While an object's code lives, another call returns the same code.
/// Errors: INTERNAL for a malformed object, an unknown symbol, a relocation or section kind outside the supported set;
///         RESOURCE_EXHAUSTED if no memory can be mapped. Cost: about 10 us and three system calls.
StatusOr<std::shared_ptr<CompiledCode>> load_object(const engine::ObjectPtr& object);

/// Returns code that only holds its object, for another architecture: it has no functions and no memory.
std::shared_ptr<CompiledCode> unloaded_object(engine::ObjectPtr object);

}  // namespace hilo::cpu
