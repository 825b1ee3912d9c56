// SPDX-License-Identifier: Apache-2.0
#include "tests/support/program_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hilo/base/files.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/inspect/bisect/agreement.h"

namespace hilo::tests {
namespace {

using hlo::Opcode;

std::string described(const Literal& literal) {
  return fmt::format("{} [{}]", element_type_name(literal.shape().element_type()),
                     fmt::join(literal.shape().dimensions(), ","));
}

void append_bytes(const Literal& literal, std::string& out) {
  const std::span<const std::byte> bytes = literal.bytes();
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

Status write_program(const std::string& folder, const std::string& name, const RandomProgram& program) {
  HILO_ASSIGN_OR_RETURN(const std::vector<hlo::Expected> results, hlo::expected_of(program, by_names()));
  std::string lines, bytes;
  for (const Literal& argument : program.arguments) {
    if (argument.is_tuple()) return invalid_argument("an argument is a tuple");
    lines += "in " + described(argument) + "\n";
    append_bytes(argument, bytes);
  }
  for (const hlo::Expected& result : results) {
    const double tolerance = hlo::tolerance_of(result.value.shape().element_type());
    const bool exact = result.exact || tolerance == 0;
    lines += "out " + described(result.value) +
             (exact ? " exact\n" : fmt::format(" {}\n", tolerance * std::max(1.0, result.scale)));
    append_bytes(result.value, bytes);
  }
  const std::string path = folder + "/" + name;
  HILO_RETURN_IF_ERROR(write_file_atomic(path + ".hlo", hlo::print_module(program.module)));
  HILO_RETURN_IF_ERROR(write_file_atomic(path + ".txt", lines));
  return write_file_atomic(path + ".bin", bytes);
}

bool is_for_xla(const Cell& cell) {
  // ops specific to hilo, and collectives
  if (hlo::is_extension(cell.opcode) || !runs_alone(cell.opcode)) return false;
  struct Row {
    Opcode opcode;
    std::string_view why;
  };
  constexpr std::string_view kUnimplemented = "UNIMPLEMENTED by XLA:CPU", kNoStableHlo = "no StableHLO of jaxlib's";
  constexpr Row kNotThere[] = {
      {Opcode::kParameter, "no result of its own"},
      {Opcode::kAcos, kUnimplemented},
      {Opcode::kAcosh, kUnimplemented},
      {Opcode::kAsin, kUnimplemented},
      {Opcode::kAsinh, kUnimplemented},
      {Opcode::kAtan, "no opcode of jaxlib 0.10.2"},
      {Opcode::kAtanh, kUnimplemented},
      {Opcode::kCosh, kUnimplemented},
      {Opcode::kSinh, kUnimplemented},
      {Opcode::kRaggedDot, kUnimplemented},
      {Opcode::kScaledDot, kNoStableHlo},
      {Opcode::kMulhi, kNoStableHlo},
      {Opcode::kAsyncStart, kNoStableHlo},
      {Opcode::kAsyncUpdate, kNoStableHlo},
      {Opcode::kAsyncDone, kNoStableHlo},
      {Opcode::kCopyStart, kNoStableHlo},
      {Opcode::kCopyDone, kNoStableHlo},
      {Opcode::kBitcast, "layout assignment refuses it"},
      {Opcode::kCall, "samples are composites, which want a name; programs have calls of their own"},
  };
  // other types are returned as bits
  if (cell.opcode == Opcode::kRngBitGenerator) return is_unsigned_integer(cell.type);
  const bool has_sign = !is_unsigned_integer(cell.type);
  // StableHLO has no such ops
  if (!has_sign && (cell.opcode == Opcode::kSign || cell.opcode == Opcode::kAbs)) return false;
  // For narrow types XLA's popcnt counts other bits (docs/numerics.md). The other ops have no code, or order equal
  // elements differently.
  const bool narrow = cell.type != ElementType::kPred && element_type_info(cell.type).bits < 8;
  if (narrow && (cell.opcode == Opcode::kPopcnt || cell.opcode == Opcode::kTopK ||
                 cell.opcode == Opcode::kConvolution || cell.opcode == Opcode::kSelectAndScatter))
    return false;
  // XLA aborts, and sorts incorrectly.
  if (narrow && element_type_info(cell.type).bits == 2 &&
      (cell.opcode == Opcode::kConcatenate || cell.opcode == Opcode::kSort))
    return false;
  // Negative logarithms: NaN in XLA's code, 2^127 in its constant folding.
  if (cell.opcode == Opcode::kLog && cell.type == ElementType::kF8E8M0Fnu) return false;
  return std::ranges::none_of(kNotThere, [&](const Row& row) { return row.opcode == cell.opcode; });
}

}  // namespace hilo::tests
