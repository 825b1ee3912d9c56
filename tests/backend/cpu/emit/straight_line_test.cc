// SPDX-License-Identifier: Apache-2.0
// Straight lines of every op and type, and of random programs, compared with the reference evaluator: alone, and with a
// batch in the lanes.
//   HILO_STRAIGHT_PROGRAMS   number of random programs (default 150)
#include "hilo/backend/cpu/emit/straight_line.h"

#include "hilo/backend/cpu/abi/functions.h"
#include "hilo/backend/cpu/codegen/compile.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/transform/batch.h"
#include "hilo/types/literal_leaves.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/support/number_from.h"
#include "tests/support/random_program.h"

namespace hilo::cpu {
namespace {

using engine::StraightLine;
using tests::RandomProgram;

/// The results of the line; those of the reference if its guard is false.
StatusOr<std::vector<Literal>> run_line(const StraightLine& line, Isa isa, const hlo::Module& module,
                                        const std::vector<Literal>& arguments) {
  HILO_ASSIGN_OR_RETURN(const StraightLineCode code, compile_straight_line(line, isa));
  std::vector<Literal> results;
  for (const Shape& leaf : module.entry->result_shape().leaves()) results.emplace_back(leaf);
  std::vector<void*> buffers;
  for (const Literal& argument : arguments) buffers.push_back(const_cast<std::byte*>(argument.bytes().data()));
  for (Literal& result : results) buffers.push_back(result.mutable_bytes().data());
  bool guard = true;
  buffers.push_back(&guard);
  reinterpret_cast<StraightLineFunction>(code.code->lookup(StraightLineCode::kName))(buffers.data(), 0, line.batch);
  return guard ? results : tests::run_evaluator(module, arguments);
}

Isa isa_number(size_t k) {
  const std::vector<Isa> isas = supported_isas();
  return isas[k % isas.size()];
}

/// Returns false if the program has no straight line.
bool check_line(const RandomProgram& program, const std::optional<StraightLine>& line, Isa isa) {
  if (!line) return false;
  const auto run = [&](const hlo::Module& module, const std::vector<Literal>& arguments) {
    return run_line(*line, isa, module, arguments);
  };
  EXPECT_EQ(hlo::disagreement(program, run, tests::by_names()), "")
      << isa_name(isa) << ", batch " << line->batch << "\n"
      << hlo::print_module(program.module);
  return true;
}

bool check_alone(const RandomProgram& program, Isa isa) {
  return check_line(program, engine::straight_line(program.module.entry, {.fused = has_fma(isa)}), isa);
}

/// The program for a batch: index b has the elements of each argument rotated by b.
std::optional<RandomProgram> batched(const RandomProgram& program, int64_t batch) {
  std::vector<Aval> avals;
  RandomProgram result;
  for (const Literal& argument : program.arguments) {
    std::vector<int64_t> extents(argument.shape().dimensions().begin(), argument.shape().dimensions().end());
    extents.insert(extents.begin(), batch);
    result.arguments.emplace_back(Shape::array(argument.shape().element_type(), extents));
    avals.push_back({result.arguments.back().shape(), false});
    const auto from = argument.bytes();
    const auto size = static_cast<size_t>(element_size_bytes(argument.shape().element_type()));
    auto to = result.arguments.back().mutable_bytes().begin();
    for (int64_t b = 0; b < batch && !from.empty(); ++b) {
      const size_t first = static_cast<size_t>(b) * size % from.size();
      to = std::copy(from.begin() + first, from.end(), to);
      to = std::copy(from.begin(), from.begin() + first, to);
    }
  }
  try {
    const StagedFunction mapped = stage(
        [&](std::span<const Array> x) {
          return vmap_flat([&](std::span<const Array> y) { return run_computation(*program.module.entry, y); }, x,
                           std::vector<BatchDim>(x.size(), 0),
                           [](size_t results) { return std::vector<BatchDim>(results, 0); });
        },
        avals, "vmap", "mapped");
    result.module.entry = mapped.computation;
  } catch (const Error&) {
    return std::nullopt;  // an op without a rule for batches
  }
  return result;
}

bool check_in_lanes(const RandomProgram& program, Isa isa, int64_t batch) {
  const std::optional<RandomProgram> whole = batched(program, batch);
  if (!whole) return false;
  const std::optional<engine::LaneProgram> lanes = engine::lane_program(whole->module.entry);
  if (!lanes || lanes->batch != batch) return false;
  return check_line(*whole, engine::straight_line(*lanes, {.fused = has_fma(isa)}), isa);
}

bool has_leaves_only(const RandomProgram& program) {
  return std::ranges::all_of(program.module.entry->parameter_shapes(), &Shape::is_array);
}

constexpr int64_t kBatches[] = {4, 5, 8, 13, 33};

/// Cells whose sample has a straight line.
bool is_expanded(const tests::Cell& cell) {
  if (cell.opcode == Opcode::kParameter || !tests::runs_alone(cell.opcode)) return false;
  const std::vector<tests::Sample> samples = tests::samples_of(cell.opcode, cell.type, 3, tests::Values::kSmooth);
  return !samples.empty() && engine::straight_line(tests::program_of(samples[0], cell).module.entry).has_value();
}

/// Samples of the cells in turn are computed alone, with a batch, and at the edges of their type.
TEST(StraightLine, ComputesEveryOpOfEveryType) {
  size_t alone = 0, in_lanes = 0, number = 0;
  for (const tests::Cell& cell : tests::run_cells()) {
    if (!is_expanded(cell)) continue;
    const tests::Values values = number % 3 == 0 ? tests::Values::kEdges : tests::Values::kSmooth;
    for (const tests::Sample& sample : tests::samples_of(cell.opcode, cell.type, 3, values)) {
      const RandomProgram program = tests::program_of(sample, cell);
      const Isa isa = isa_number(++number);
      if (number % 2 == 0) alone += check_alone(program, isa);
      else if (has_leaves_only(program))
        in_lanes += check_in_lanes(program, isa, kBatches[number % std::size(kBatches)]);
    }
  }
  EXPECT_GT(alone, 500u);
  EXPECT_GT(in_lanes, 300u);
}

/// Constants that differ along the batch, at its first and last dimension and inside of a loop.
TEST(StraightLine, ReadsTables) {
  for (const int64_t batch : kBatches) {
    for (const Isa isa : supported_isas()) {
      std::string rows, numbers;
      for (int64_t k = 0; k < batch; ++k) {
        rows += fmt::format("{}{{{}, 7, {}}}", k == 0 ? "" : ", ", k * 3 - 5, k % 3);
        numbers += fmt::format("{}{}", k == 0 ? "" : ", ", 2 * k - 3);
      }
      RandomProgram program;
      program.module = *hlo::parse_module(fmt::format(
          "HloModule m\nbody {{ p = (s32[], f32[3,{0}]) parameter(0)  i = s32[] get-tuple-element(p), index=0  "
          "x = f32[3,{0}] get-tuple-element(p), index=1  one = s32[] constant(1)  next = s32[] add(i, one)  "
          "c = f32[{0},3] constant({{{1}}})  t = f32[3,{0}] transpose(c), dimensions={{1,0}}  y = f32[3,{0}] add(x, t) "
          " "
          "ROOT r = (s32[], f32[3,{0}]) tuple(next, y) }}\n"
          "condition {{ p = (s32[], f32[3,{0}]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] "
          "constant(3)  "
          "ROOT c = pred[] compare(i, n), direction=LT }}\n"
          "ENTRY e {{ x = f32[3,{0}] parameter(0)  z = s32[] constant(0)  init = (s32[], f32[3,{0}]) tuple(z, x)  "
          "w = (s32[], f32[3,{0}]) while(init), condition=condition, body=body  y = f32[3,{0}] get-tuple-element(w), "
          "index=1  "
          "k = f32[{0}] constant({{{2}}})  b = f32[3,{0}] broadcast(k), dimensions={{1}}  ROOT r = f32[3,{0}] "
          "multiply(y, b) }}\n",
          batch, rows, numbers));
      Literal x(Shape::array(ElementType::kF32, {3, batch}));
      for (int64_t k = 0; k < x.shape().element_count(); ++k) x.data<float>()[k] = 0.25f * static_cast<float>(k - 7);
      program.arguments.push_back(std::move(x));
      const std::optional<engine::LaneProgram> lanes = engine::lane_program(program.module.entry);
      ASSERT_TRUE(lanes);
      EXPECT_EQ(lanes->batch, batch);
      EXPECT_TRUE(check_line(program, engine::straight_line(*lanes, {.fused = has_fma(isa)}), isa));
    }
  }
}

TEST(StraightLine, ComputesRandomPrograms) {
  tests::Coverage coverage(is_expanded);
  size_t alone = 0, in_lanes = 0;
  const unsigned count = tests::number_from("HILO_STRAIGHT_PROGRAMS", 150);
  for (unsigned seed = 0; seed < count; ++seed) {
    const RandomProgram program = tests::random_program(seed, 12, coverage);
    alone += check_alone(program, isa_number(seed));
    if (has_leaves_only(program)) in_lanes += check_in_lanes(program, isa_number(seed), kBatches[seed % 5]);
  }
  EXPECT_GT(alone, count / 4);
  EXPECT_GT(in_lanes, count / 10);
}

}  // namespace
}  // namespace hilo::cpu
