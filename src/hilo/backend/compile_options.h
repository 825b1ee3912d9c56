// SPDX-License-Identifier: Apache-2.0
// backend/compile_options.h -- what a caller may ask of a compilation.
#pragma once

#include <optional>
#include <string>

#include "hilo/hlo/ir/module.h"

namespace hilo {

/// The options of the 2018 client, unset unless asked for; and what hilo adds after them.
struct CompileOptions {
  std::optional<std::string> generate_hlo_graph;  ///< regular expression of module names; empty matches all
  std::optional<std::string> dump_unoptimized_hlo_proto_to;
  std::optional<std::string> dump_optimized_hlo_proto_to;
  std::optional<std::string> dump_per_pass_hlo_proto_to;
  bool hlo_profile = false;
  std::optional<Shape> result_shape;  ///< with the layout that the caller wants

  int64_t replica_count = 1;
  bool operator==(const CompileOptions&) const = default;
  std::string to_string() const;
};

}  // namespace hilo
