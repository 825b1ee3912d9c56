// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/reader.h"

#include "hilo/base/floating_point.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/stablehlo/bytecode/reader.h"
#include "hilo/stablehlo/text/cursor.h"
#include "hilo/stablehlo/text/reader.h"

namespace hilo::stablehlo {

bool is_mlir(std::string_view data) {
  if (is_bytecode(data)) return true;
  Cursor cursor(data, "");
  const char next = cursor.peek();
  if (next == '#' || next == '!') return true;
  if (next == '"') return cursor.next_is("\"builtin.module\"") || cursor.next_is("\"func.func\"");
  const std::string_view word = cursor.word();
  return word == "module" || word == "builtin.module" || word == "func.func";
}

StatusOr<ModuleTree> read_tree(std::string_view data, std::string_view source) try {
  const FloatingPointScope nearest;
  return is_bytecode(data) ? read_bytecode(data, source) : read_text(data, source);
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo::stablehlo
