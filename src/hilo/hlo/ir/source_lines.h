// SPDX-License-Identifier: Apache-2.0
// hlo/ir/source_lines.h -- the user's line of each instruction, also where a program has it in XLA's tables of frames.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// The line that an instruction's own metadata names, or else the innermost frame of its stack_frame_id, which the
/// module's tables FileNames, FileLocations and StackFrames resolve. Holds texts, so it may outlive the module.
/// Cost    linear in the tables
/// Example    SourceLines(module).of(instruction)   "/home/me/train.py:41"
class SourceLines {
 public:
  explicit SourceLines(const Module& module);

  /// "file:line", or "" if unknown. What the tables don't hold is unknown.
  std::string of(const Instruction& instruction) const;

 private:
  std::unordered_map<int64_t, std::string> frames_;
};

/// "add 'sum' (train.cc:41)", for messages.
std::string describe(const Instruction& instruction, const SourceLines& lines);

}  // namespace hilo::hlo
