// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/straight_line.h -- compiles a program over small arrays as one function: each element is a register,
// and the batch, if there is one, is in the lanes.
#pragma once

#include <memory>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/load/compiled_code.h"
#include "hilo/engine/straight_line.h"

namespace hilo::cpu {

struct StraightLineCode {
  static constexpr const char* kName = "straight-line";  ///< name of the function

  std::shared_ptr<CompiledCode> code;
};
inline int64_t held_bytes(const StraightLineCode& line) { return std::ssize(*line.code); }

/// Compiles a straight line as a StraightLineFunction. Lines with equal content are compiled once per process.
StatusOr<StraightLineCode> compile_straight_line(const engine::StraightLine& line, Isa isa);

}  // namespace hilo::cpu
