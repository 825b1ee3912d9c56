// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/result_moves.h"

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/text/printer.h"
#include "tests/engine/plan_case.h"
#include "tests/support/random_program.h"

namespace hilo::engine {
namespace {

std::string ops_of(const hlo::Computation& computation) {
  std::string ops;
  for (const hlo::Instruction& i : computation.instructions()) ops += fmt::format(" {}", i.def().name);
  return ops;
}

/// The ops of both parts; "none".
std::string parts_of(std::string_view entry) {
  const hlo::Module module = parsed(fmt::format("HloModule m\nENTRY e {{\n{}\n}}\n", entry));
  if (module.entry == nullptr) return "";
  const std::optional<ResultMoves> parts = result_moves(*module.entry);
  return parts ? fmt::format("{} |{}", ops_of(*parts->values), ops_of(*parts->moves)) : "none";
}

TEST(ResultMoves, SeparatesMovesThatOnlyResultsRead) {
  EXPECT_EQ(parts_of(R"(
    x = f32[4,2] parameter(0)
    y = f32[4,2] sine(x)
    a = f32[2,2] slice(y), slice={[0:2], [0:2]}
    b = f32[2,2] slice(y), slice={[2:4], [0:2]}
    c = f32[2,2] cosine(b)
    t = f32[2,2] transpose(a), dimensions={1,0}
    ROOT r = (f32[2,2], f32[2,2]) tuple(t, c))"),
            " parameter sine slice cosine tuple | parameter slice transpose parameter tuple");
}

TEST(ResultMoves, CopiesConstantsAndTakesParameters) {
  EXPECT_EQ(parts_of(R"(
    x = f32[4] parameter(0)
    y = f32[2] parameter(1)
    z = f32[] constant(0)
    p = f32[8] pad(x, z), padding=2_2
    ROOT r = f32[10] concatenate(p, y), dimensions={0})"),
            " parameter parameter constant tuple | parameter constant pad parameter concatenate");
}

TEST(ResultMoves, IsNoneWithoutMoves) {
  EXPECT_EQ(parts_of("x = f32[4] parameter(0)\n y = f32[4] sine(x)\n ROOT r = (f32[4], f32[4]) tuple(y, x)"), "none");
  EXPECT_EQ(parts_of("x = f32[4] parameter(0)\n y = f32[2,2] reshape(x)\n ROOT r = f32[2,2] sine(y)"), "none");
}

/// The program with moves of its results: reversed along a dimension, and joined with that.
hlo::ComputationPtr with_moves(const hlo::Computation& source, unsigned seed) {
  hlo::Builder b("moved");
  std::vector<hlo::InstructionId> mapped, results;
  for (const hlo::Instruction& i : source.instructions()) mapped.push_back(*b.copy(i, mapped));
  const hlo::Instruction& root = source.root();
  const std::vector<hlo::InstructionId> one = {root.id};
  for (hlo::InstructionId id : root.opcode == hlo::Opcode::kTuple ? std::span(root.operands) : std::span(one)) {
    const Shape shape = source.instruction(id).shape;
    results.push_back(mapped[id]);
    if (!shape.is_array() || shape.rank() == 0) continue;
    const int64_t d = static_cast<int64_t>(seed) % shape.rank();
    auto reverse = std::make_shared<hlo::ReverseAttributes>();
    reverse->dimensions = {d};
    results.push_back(*b.add(hlo::Opcode::kReverse, {mapped[id]}, std::move(reverse)));
    auto concatenate = std::make_shared<hlo::ConcatenateAttributes>();
    concatenate->dimension = d;
    results.push_back(*b.add(hlo::Opcode::kConcatenate, {mapped[id], results.back()}, std::move(concatenate)));
  }
  return *std::move(b).build(b.tuple(results));
}

/// Both parts of random programs, one after the other, have the results of the whole.
TEST(ResultMoves, RandomProgramsHaveTheSameResults) {
  tests::Coverage coverage;
  size_t separated = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    tests::RandomProgram program = tests::random_program(seed, 10, coverage);
    program.module.entry = with_moves(*program.module.entry, seed);
    const std::optional<ResultMoves> parts = result_moves(*program.module.entry);
    if (!parts) continue;
    ++separated;
    const auto run = [&](const hlo::Module& module, const std::vector<Literal>& arguments) {
      hlo::Module values = module, moves = module;
      values.entry = parts->values;
      moves.entry = parts->moves;
      StatusOr<std::vector<Literal>> between = tests::run_evaluator(values, arguments);
      return between.ok() ? tests::run_evaluator(moves, *between) : between;
    };
    EXPECT_EQ(hlo::disagreement(program, run, tests::by_names()), "") << hlo::print_module(program.module);
  }
  EXPECT_GT(separated, 100u);
}

}  // namespace
}  // namespace hilo::engine
