// SPDX-License-Identifier: Apache-2.0
#include "tests/support/status_cell.h"

#include <algorithm>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/ops/transfer.h"

namespace hilo::tests {
namespace {

struct AllCells {
  std::vector<Cell> there, refused;
};

/// The extent for which a cell must have samples.
constexpr int64_t kExtent = 3;

AllCells find_cells() {
  AllCells all;
  std::vector<ElementType> types(array_types().begin(), array_types().end());
  types.push_back(ElementType::kToken);
  for (int k = 0; k < hlo::kOpcodeCount; ++k) {
    for (ElementType type : types) {
      const Cell cell{static_cast<hlo::Opcode>(k), type};
      const std::vector<Sample> samples = samples_of(cell.opcode, type, kExtent, Values::kSmooth);
      if (samples.empty()) continue;
      const Status status = computation_of(samples[0]).status();
      (status.code() == StatusCode::kInvalidArgument ? all.refused : all.there).push_back(cell);
    }
  }
  return all;
}

const AllCells& all_cells() {
  static const AllCells all = find_cells();
  return all;
}

template <typename F>
bool is_there(const Rule<F>& rule) {
  return rule.function() != nullptr || rule.missing() != nullptr;  // an unwritten rule is a gap
}

/// Types of 8 bits and less are too coarse to verify derivatives.
bool shows_slopes(ElementType type) {
  return has_tangent(type) && !(is_floating(type) && element_type_info(type).bits <= 8);
}

bool is_one_of(hlo::Opcode opcode, std::initializer_list<hlo::Opcode> list) {
  return std::ranges::find(list, opcode) != list.end();
}

bool is_over_a_named_axis(hlo::Opcode opcode) { return opcode >= hlo::kExtPsum && opcode <= hlo::kExtAxisIndex; }

bool runs(hlo::Opcode opcode) {
  return !hlo::is_transfer(opcode) && !is_over_a_named_axis(opcode) && opcode != hlo::kExtCustomVjpTangent;
}

bool is_among_replicas(hlo::Opcode opcode) {
  using enum hlo::Opcode;
  return hlo::is_collective(opcode) ||
         is_one_of(opcode, {kReplicaId, kPartitionId, kAllGatherStart, kAllGatherDone, kAllReduceStart, kAllReduceDone,
                            kCollectivePermuteStart, kCollectivePermuteDone});
}

/// Ops without a derivative in jaxlib 0.10.2: its ad.primitive_jvps lacks them.
bool jax_has_no_jvp(hlo::Opcode opcode) {
  return is_one_of(opcode,
                   {hlo::kExtGeqrf, hlo::kExtGeqp3, hlo::kExtHouseholderProduct, hlo::kExtOrmqr, hlo::kExtTridiagonal,
                    hlo::kExtSchur, hlo::kExtHessenberg, hlo::kExtCustomVjp, hlo::Opcode::kCustomCall});
}

template <typename Keep>
std::vector<Cell> cells_where(Keep keep) {
  std::vector<Cell> kept;
  for (const Cell& cell : run_cells()) {
    if (keep(cell, rules_of(cell.opcode))) kept.push_back(cell);
  }
  return kept;
}

}  // namespace

std::string cell_name(const Cell& cell) {
  std::string name;
  for (char c : hlo::opcode_name(cell.opcode))
    name += c == '-' ? "_" : c == '.' ? "_d_" : c == '_' ? "_u_" : std::string(1, c);
  return name + "_" + std::string(element_type_name(cell.type));
}

void PrintTo(const Cell& cell, std::ostream* out) { *out << cell_name(cell); }

const std::vector<Cell>& cells() { return all_cells().there; }
const std::vector<Cell>& run_cells() {
  static const std::vector<Cell> kept = [] {
    std::vector<Cell> all = cells();
    std::erase_if(all, [](const Cell& cell) { return !runs(cell.opcode); });
    return all;
  }();
  return kept;
}
std::vector<Cell> unrun_cells() {
  std::vector<Cell> all = cells();
  std::erase_if(all, [](const Cell& cell) { return runs(cell.opcode); });
  return all;
}
bool runs_alone(hlo::Opcode opcode) {
  using enum hlo::Opcode;
  const bool is_decomposition = opcode >= hlo::kExtLu && opcode <= hlo::kExtHessenberg;
  return runs(opcode) && !is_among_replicas(opcode) && !is_decomposition &&
         !is_one_of(opcode, {kRng, kRngGetAndUpdateState, kCustomCall, kAfterAll, kAddDependency, hlo::kExtCustomVjp});
}
const std::vector<Cell>& refused_cells() { return all_cells().refused; }

std::vector<Cell> jvp_cells() {
  return cells_where([](const Cell& cell, const Rules& rules) {
    return shows_slopes(cell.type) && is_there(rules.jvp) && !jax_has_no_jvp(cell.opcode);
  });
}
std::vector<Cell> underivable_cells() {
  return cells_where(
      [](const Cell& cell, const Rules&) { return has_tangent(cell.type) && jax_has_no_jvp(cell.opcode); });
}
std::vector<Cell> transpose_cells() {
  return cells_where([](const Cell& cell, const Rules& rules) {
    return shows_slopes(cell.type) && is_there(rules.jvp) && is_there(rules.transpose) && !jax_has_no_jvp(cell.opcode);
  });
}
std::vector<Cell> batch_cells() {
  return cells_where([](const Cell&, const Rules& rules) { return is_there(rules.batch); });
}

std::vector<hlo::Opcode> later_opcodes() {
  std::vector<hlo::Opcode> later;
  for (int k = 0; k < hlo::kOpcodeCount; ++k) {
    if (hlo::is_not_yet(static_cast<hlo::Opcode>(k))) later.push_back(static_cast<hlo::Opcode>(k));
  }
  return later;
}

hlo::ComputationPtr built(const Sample& sample) {
  StatusOr<hlo::ComputationPtr> computation = computation_of(sample);
  EXPECT_TRUE(computation.ok()) << computation.status().to_string();
  return computation.ok() ? *computation : nullptr;
}

std::vector<Literal> evaluated(const hlo::Computation& computation, std::span<const Literal> leaves) {
  const StatusOr<Literal> value = hlo::evaluate(computation, leaves);
  EXPECT_TRUE(value.ok()) << value.status().to_string();
  return value.ok() ? leaves_of(*value) : std::vector<Literal>();
}

}  // namespace hilo::tests
