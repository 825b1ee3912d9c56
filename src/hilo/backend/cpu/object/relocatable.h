// SPDX-License-Identifier: Apache-2.0
// backend/cpu/object/relocatable.h -- joins relocatable ELF objects to one, as `ld -r` does, without a linker.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"

namespace hilo::cpu {

/// An object file of the code generator.
struct ObjectPart {
  std::string_view bytes;
  std::string prefix = {};  ///< of the names of its functions in the joined object
};

/// A function with code.
struct ObjectFunction {
  std::string name;  ///< with the prefix of its part
  size_t part = 0;
  int64_t bytes = 0;
  int64_t stack_bytes = -1;  ///< of its frame; -1 if that depends on its arguments
};

/// A function as machine code of x86-64 without references.
struct RawFunction {
  std::string name;
  std::string_view code;
  int64_t stack_bytes = 0;
};

struct JoinedObject {
  std::string bytes;
  std::vector<ObjectFunction> functions;
  std::vector<std::string> undefined;  ///< names that no part defines, sorted
  int64_t text_bytes = 0, data_bytes = 0;
};

/// Joins the parts and the raw functions. Names in `exported` stay visible to other objects; all others are local. A
/// part may refer to functions of other parts by their names in the joined object. Order and alignment of
/// the code stay.
/// Errors    INTERNAL for a malformed object, parts of two architectures, or one with sections or symbols that the code
///           generator doesn't write
StatusOr<JoinedObject> join_objects(std::span<const ObjectPart> parts, std::span<const std::string> exported,
                                    std::span<const RawFunction> raw = {});

/// Returns the names that an object refers to and doesn't define.
StatusOr<std::vector<std::string>> undefined_names(std::string_view object);

}  // namespace hilo::cpu
