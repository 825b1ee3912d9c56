// SPDX-License-Identifier: Apache-2.0
// hlo/passes/pass_list.h -- the passes by name, and the order that backends run them in.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// A pass rewrites the module in place and says whether it changed. Its name is its function's name and its file's.
struct PassEntry {
  std::string_view name;
  StatusOr<bool> (*run)(Module&);
  /// For a pass that takes ops apart: the same, but these ops stay whole. Null for others.
  StatusOr<bool> (*run_keeping)(Module&, std::span<const Opcode> whole) = nullptr;
};

/// Every pass there is.
std::span<const PassEntry> all_passes();

/// What an engine runs before it compiles. Every pass is linear and none repeats until nothing changes; `simplify` is
/// there twice, because loops that unrolled and branches that fell away leave it work.
std::span<const PassEntry> default_pipeline();

/// What is run on a program from a file before it is transformed: ops that were written out are recognised again, because
/// those have rules of derivatives and batching.
std::span<const PassEntry> raise_pipeline();

/// Errors    NOT_FOUND "pass 'x' doesn't exist; wanted one of ... Hint: did you mean 'y'?"
StatusOr<PassEntry> find_pass(std::string_view name);

/// The passes of a list like "dce,cse".
/// Errors    NOT_FOUND as find_pass
StatusOr<std::vector<PassEntry>> parse_pass_list(std::string_view names);

}  // namespace hilo::hlo
