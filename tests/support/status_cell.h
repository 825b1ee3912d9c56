// SPDX-License-Identifier: Apache-2.0
// tests/support/status_cell.h -- a cell of docs/internal/status.md is the result of one test, whose name has opcode,
// column and type.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "hilo/trace/rules.h"
#include "hilo/types/literal_leaves.h"
#include "tests/support/samples.h"

namespace hilo::tests {

struct Cell {
  hlo::Opcode opcode{};
  ElementType type{};
};

/// "dynamic_slice_f32": '-' is "_", '.' is "_d_", '_' is "_u_", so that a name reads back.
std::string cell_name(const Cell& cell);
void PrintTo(const Cell& cell, std::ostream* out);

/// Every opcode that this version implements, on every type that there are such instructions for: its row of the
/// op table takes the type, and its shape rule takes the sample.
const std::vector<Cell>& cells();
/// Those that run: the ops of the others speak with a side that isn't there, or wait for a transformation.
const std::vector<Cell>& run_cells();
std::vector<Cell> unrun_cells();
/// Whether its samples can be in any program: results are unique, no replicas meet, nothing is drawn from a state, and
/// no derivative is stored with the function.
bool runs_alone(hlo::Opcode opcode);
/// Those whose rule for the column isn't Nonlinear or Unreachable, and whose type has tangents where the column is
/// about them.
std::vector<Cell> jvp_cells();
std::vector<Cell> transpose_cells();
std::vector<Cell> batch_cells();
/// Those whose rule is missing because JAX has none either: asking is an error, never a dropped gradient.
std::vector<Cell> underivable_cells();
/// Opcodes whose row accepts the type, but whose shape rule rejects every instruction of it.
const std::vector<Cell>& refused_cells();
std::vector<hlo::Opcode> later_opcodes();

/// A test of one cell. The name of the derived fixture is the column.
class CellTest : public testing::TestWithParam<Cell> {
 protected:
  std::vector<Sample> samples(int64_t n, Values values = Values::kSmooth) const {
    return samples_of(GetParam().opcode, GetParam().type, n, values);
  }
};

/// The computation, or a failed test.
hlo::ComputationPtr built(const Sample& sample);
/// The value of the reference evaluator, flattened; or a failed test.
std::vector<Literal> evaluated(const hlo::Computation& computation, std::span<const Literal> leaves);

}  // namespace hilo::tests

#define HILO_CELLS(fixture, cells)                                   \
  INSTANTIATE_TEST_SUITE_P(Cells, fixture, testing::ValuesIn(cells), \
                           [](const testing::TestParamInfo<Cell>& info) { return cell_name(info.param); })
