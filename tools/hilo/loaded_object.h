// SPDX-License-Identifier: Apache-2.0
// tools/hilo/loaded_object.h -- an object of `hilo compile --to object`, linked by the C compiler and called in this
// process.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hilo/device/object_files.h"
#include "hilo/hlo/ir/module.h"
#include "hilo/types/literal.h"

namespace hilo::tool {

/// A shared library made from one object. The destructor closes it.
class LoadedObject {
 public:
  /// Compiles `module` with `options` and links it by `cc`, with `libraries` behind the object: files and flags.
  /// Errors    those of object_under_flags; FAILED_PRECONDITION with the linker's text
  static StatusOr<LoadedObject> link(const hlo::Module& module, const ObjectOptions& options,
                                     std::span<const std::string> libraries);

  /// Calls the object's generic function, in the mode that HILO_DENORMALS selects, with an arena of its size.
  /// Errors    INTERNAL with the code that the call returns
  StatusOr<std::vector<Literal>> call(std::span<const Literal> arguments, std::span<const Shape> results) const;

 private:
  using Function = int(const void* const* arguments, void* const* results, void* arena, const void* services);

  std::shared_ptr<void> library_;
  Function* function_ = nullptr;
  size_t arena_bytes_ = 0;
};

}  // namespace hilo::tool
