// SPDX-License-Identifier: Apache-2.0
// stablehlo/bytecode/bytecode_reader.h -- the state of reading MLIR bytecode. The functions that use it are declared in
// headers by subject.
#pragma once

#include <vector>

#include "hilo/stablehlo/bytecode/byte_reader.h"
#include "hilo/stablehlo/tree/module_tree.h"
#include "hilo/stablehlo/tree/vhlo.h"

namespace hilo::stablehlo {

/// The range of an attribute or type in the bytes, and its id in the tree. Each entry is read once, on its first use.
struct BytecodeEntry {
  std::string_view dialect;
  size_t begin = 0, end = 0;
  bool encoded = false;  ///< whether its dialect encodes it; otherwise it is MLIR text
  uint32_t id = kNone;   ///< id of the type or attribute
  LocationId location = kNone;
};

struct BytecodeReader {
  std::string_view data, source;
  ModuleTree& tree;
  uint64_t version = 0;
  std::vector<std::string_view> strings = {};
  std::vector<std::string_view> dialects = {};
  struct Name {
    std::string full;  ///< "vhlo.add_v1"
    const BytecodeOperation* known = nullptr;
  };
  std::vector<Name> operation_names = {};
  std::vector<BytecodeEntry> attributes = {}, types = {};
  std::vector<std::pair<size_t, size_t>> properties = {};
  int depth = 0;
};

}  // namespace hilo::stablehlo
