// SPDX-License-Identifier: Apache-2.0
// hlo/ir/source_lines.h -- source lines of instructions, also for programs that store them in XLA's tables of frames.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// Finds the source line of an instruction: the line in its own metadata, or else the innermost frame of its
/// stack_frame_id. The module's tables FileNames, FileLocations and StackFrames resolve the id. Copies the texts, so it
/// may outlive the module.
/// Cost      linear in the size of the tables
/// Example   SourceLines(module).of(instruction)   "/home/me/train.py:41"
class SourceLines {
 public:
  explicit SourceLines(const Module& module);

  /// Returns "file:line", or "" if the metadata and the tables don't contain it.
  std::string of(const Instruction& instruction) const;

 private:
  std::unordered_map<int64_t, std::string> frames_;
};

/// Returns the instruction as messages name it, such as "add 'sum' (train.cc:41)".
std::string describe(const Instruction& instruction, const SourceLines& lines);

}  // namespace hilo::hlo
