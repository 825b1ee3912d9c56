// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/move/move.cc -- data movement that access maps can't express: pad with gaps between elements,
// bitcast-convert between widths. Also concatenations of many operands, for which regions would cost more.
#include "hilo/backend/cpu/runtime/moves.h"

#include "hilo/backend/cpu/library/costs.h"
#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/backend/cpu/library/routine_hero.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::cpu {

using runtime::Routine;

std::unique_ptr<Hero> make_pad_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const Shape &x = operands[0], &result = results[0];
  if (x.rank() == 0) return nullptr;
  const auto& a = hlo::attributes_of<hlo::PadAttributes>(instruction);
  const std::vector<int64_t> from = row_major_strides(x.dimensions()), to = row_major_strides(result.dimensions());
  ProblemWriter<runtime::PadProblem> writer({});
  runtime::PadProblem& p = writer.problem;
  p.width = element_size_bytes(x.element_type());
  p.total = result.element_count();
  std::vector<int64_t> counts, to_strides;
  for (int64_t d = 0; d < x.rank(); ++d) {
    const hlo::KeptRange kept = hlo::kept_by(a.padding[d], x.dimension(d), result.dimension(d));
    counts.push_back(kept.count);
    to_strides.push_back(to[d] * kept.step);
    p.from_begin += kept.from * from[d];
    p.to_begin += kept.at * to[d];
  }
  writer.set(p.counts, counts);
  writer.set(p.from_strides, from);
  writer.set(p.to_strides, to_strides);
  const size_t scratch = counts.size() * sizeof(int64_t);
  return make_routine_hero({Routine::kPad, std::move(writer).finish(), 1, scratch}, {}, {});
}

std::unique_ptr<Hero> make_concatenate_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const int64_t dimension = hlo::attributes_of<hlo::ConcatenateAttributes>(instruction).dimension;
  int64_t rows = 1;
  for (int64_t d = 0; d < dimension; ++d) rows *= results[0].dimension(d);
  const int64_t bytes = results[0].byte_size();
  ProblemWriter<runtime::ConcatenateProblem> writer({.row_bytes = rows == 0 ? 0 : bytes / rows, .pieces = {}});
  std::vector<int64_t> pieces;
  for (const Shape& operand : operands) pieces.push_back(rows == 0 ? 0 : operand.byte_size() / rows);
  writer.set(writer.problem.pieces, pieces);
  return make_routine_hero({Routine::kConcatenate, std::move(writer).finish()}, {},
                           {rows, work_ns(kCpuCosts.library.concatenated_byte, bytes), parts_for_threads(rows)});
}

std::unique_ptr<Hero> make_bitcast_convert_hero(const HeroRequest& request) {
  const auto whole_bytes = [](const Shape& s) { return element_type_info(s.element_type()).bits >= 8; };
  const Shape& result = request.problem.results[0];
  if (!whole_bytes(request.problem.operands[0]) || !whole_bytes(result)) return nullptr;
  ProblemWriter<runtime::CopyProblem> writer({result.byte_size()});
  return make_routine_hero({Routine::kCopy, std::move(writer).finish()}, {}, {result.byte_size()});
}

}  // namespace hilo::cpu
