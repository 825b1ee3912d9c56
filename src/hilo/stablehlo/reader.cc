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
  // an alias; but the length of a protobuf message's first field can be the same byte
  if (next == '#' || next == '!') {
    cursor.accept(next == '#' ? "#" : "!");
    return !cursor.suffix().empty() && cursor.next_is("=");
  }
  if (next == '"') {  // an operation in the generic form
    const StatusOr<std::string> name = cursor.quoted("an operation");
    return name.ok() && name->find('.') != std::string::npos && cursor.next_is("(");
  }
  const std::string_view word = cursor.word();
  if (word == "module" || word == "builtin.module" || word == "func.func") return true;
  // An operation with a symbol, such as `sdy.mesh @mesh = ...`. In HLO text a bracket follows.
  return word.find('.') != std::string_view::npos && cursor.next_is("@");
}

StatusOr<ModuleTree> read_tree(std::string_view data, std::string_view source) try {
  const FloatingPointScope nearest;
  return is_bytecode(data) ? read_bytecode(data, source) : read_text(data, source);
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo::stablehlo
