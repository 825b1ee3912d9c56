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

/// "dynamic_slice_f32": '-' is "_", '.' is "_d_", '_' is "_u_", so that a name can be decoded.
std::string cell_name(const Cell& cell);
void PrintTo(const Cell& cell, std::ostream* out);

/// Every implemented opcode on every valid type: its row of the op table accepts the type, and its shape rule accepts
/// the sample.
const std::vector<Cell>& cells();
/// Cells of ops that run. The others communicate with an outside that doesn't exist, or are removed by a
/// transformation.
const std::vector<Cell>& run_cells();
std::vector<Cell> unrun_cells();
/// Whether its samples can be in any program: results are unique, it isn't a collective, nothing is drawn from a state,
/// and no derivative is stored with the function.
bool runs_alone(hlo::Opcode opcode);
/// Cells whose rule for the column isn't Nonlinear or Unreachable, and whose type has tangents if the column is about
/// them.
std::vector<Cell> jvp_cells();
std::vector<Cell> transpose_cells();
std::vector<Cell> batch_cells();
/// Cells without a rule because JAX has none either: a derivative is an error, never silently zero.
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
