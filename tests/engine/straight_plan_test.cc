// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/straight_plan.h"

#include <cmath>

#include "tests/engine/plan_case.h"
#include "tests/support/clients.h"
#include "tests/support/random_program.h"
#include "tests/support/run_literals.h"

namespace hilo::engine {
namespace {

/// A target that has code for straight lines.
class LineTarget final : public TestTarget {
 public:
  using TestTarget::TestTarget;
  std::optional<StraightLineOptions> straight_line_options() const override {
    return StraightLineOptions{.fused = true, .vector_bytes = 64};
  }
  StatusOr<CodeFunction> straight_line(const StraightLine&) const override { return CodeFunction{nullptr, "line"}; }
};

/// The batches of the plan's straight lines, in order; "" if it has none.
std::string lines_of(const std::string& text, const Costs& costs = kTestCosts) {
  const hlo::Module module = parsed("HloModule m\n\n" + text);
  const StatusOr<PlannedProgram> program = plan_steps(module, LineTarget(costs));
  EXPECT_TRUE(program.ok()) << program.status().to_string();
  std::string lines;
  for (const LibraryCall& call : program->plan.library_calls) {
    if (call.symbol == kStraightLine) lines += fmt::format("{}{}", lines.empty() ? "" : " ", call.batch);
  }
  return lines;
}

/// Eight products of 3 x 3 matrices, `batch` times.
std::string products(int64_t batch, std::string_view results) {
  return fmt::format(R"(
body {{
  p = (s32[], f64[{0},3,3], f64[{0},3,3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  a = f64[{0},3,3] get-tuple-element(p), index=1
  b = f64[{0},3,3] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  c = f64[{0},3,3] dot(a, b), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, rhs_contracting_dims={{1}}
  ROOT r = (s32[], f64[{0},3,3], f64[{0},3,3]) tuple(next, c, b)
}}
condition {{
  p = (s32[], f64[{0},3,3], f64[{0},3,3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(8)
  ROOT c = pred[] compare(i, n), direction=LT
}}
ENTRY e {{
  a = f64[{0},3,3] parameter(0)
  b = f64[{0},3,3] parameter(1)
  z = s32[] constant(0)
  t = (s32[], f64[{0},3,3], f64[{0},3,3]) tuple(z, a, b)
  w = (s32[], f64[{0},3,3], f64[{0},3,3]) while(t), condition=condition, body=body
  e = f64[{0},3,3] get-tuple-element(w), index=1
  {1}
}}
)",
                     batch, results);
}

std::string sliced(int64_t batch) {
  return products(batch, fmt::format("f = f64[{0},3,3] slice(e), slice={{[0:{0}], [0:3], [0:3]}}\n"
                                     "g = f64[{1},3,3] slice(e), slice={{[{0}:{2}], [0:3], [0:3]}}\n"
                                     "u = f64[3,{0},3] transpose(f), dimensions={{1,0,2}}\n"
                                     "ROOT r = (f64[3,{0},3], f64[{1},3,3]) tuple(u, g)",
                                     batch / 2, batch - batch / 2, batch));
}

/// As many turns as an argument says: products of 3 x 3 matrices, one of which is constant and has zeros.
std::string turns(int64_t batch) {
  return fmt::format(R"(
body {{
  p = (s32[], s32[], f64[{0},3,3], f64[{0},3,3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  a = f64[{0},3,3] get-tuple-element(p), index=2
  b = f64[{0},3,3] get-tuple-element(p), index=3
  one = s32[] constant(1)
  next = s32[] add(i, one)
  k = f64[3,3] constant({{{{0, 1, 0}}, {{0.5, 0, 0}}, {{0, 0, -1}}}})
  c = f64[{0},3,3] dot(a, k), lhs_contracting_dims={{2}}, rhs_contracting_dims={{0}}
  d = f64[{0},3,3] dot(c, b), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, rhs_contracting_dims={{1}}
  e = f64[{0},3,3] dot(d, c), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, rhs_contracting_dims={{1}}
  q = f64[] constant(0.25)
  qs = f64[{0},3,3] broadcast(q), dimensions={{}}
  f = f64[{0},3,3] multiply(e, qs)
  ROOT r = (s32[], s32[], f64[{0},3,3], f64[{0},3,3]) tuple(next, n, f, b)
}}
condition {{
  p = (s32[], s32[], f64[{0},3,3], f64[{0},3,3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  ROOT c = pred[] compare(i, n), direction=LT
}}
ENTRY e {{
  n = s32[] parameter(0)
  a = f64[{0},3,3] parameter(1)
  b = f64[{0},3,3] parameter(2)
  z = s32[] constant(0)
  t = (s32[], s32[], f64[{0},3,3], f64[{0},3,3]) tuple(z, n, a, b)
  w = (s32[], s32[], f64[{0},3,3], f64[{0},3,3]) while(t), condition=condition, body=body
  x = f64[{0},3,3] get-tuple-element(w), index=2
  y = f64[{0},3,3] get-tuple-element(w), index=3
  ROOT r = (f64[{0},3,3], f64[{0},3,3]) tuple(x, y)
}}
)",
                     batch);
}

TEST(StraightPlan, ProgramsOfSeveralStepsAreLines) {
  EXPECT_EQ(lines_of(products(1, "ROOT r = f64[1,3,3] negate(e)")), "1");
}

TEST(StraightPlan, TheBatchIsInTheLanes) { EXPECT_EQ(lines_of(products(8, "ROOT r = f64[8,3,3] negate(e)")), "8"); }

TEST(StraightPlan, ASecondLineDividesResultsAlongTheBatch) { EXPECT_EQ(lines_of(sliced(8)), "8 1"); }

TEST(StraightPlan, TheBodyOfALoopWithUnknownTurnsIsALine) {
  EXPECT_EQ(lines_of(turns(1)), "1");
  Costs slow = kTestCosts;
  slow.inlined = 1000;  // of each of the steps that the line replaces
  EXPECT_EQ(lines_of(turns(8), slow), "8");
}

TEST(StraightPlan, OneKernelIsNotALine) {
  EXPECT_EQ(lines_of("ENTRY e { x = f64[8] parameter(0)  y = f64[8] sine(x)  ROOT r = f64[8] multiply(y, x) }\n"), "");
}

/// An operation on a vector takes as long as in a kernel. Functions of a large batch are therefore no faster in a line.
TEST(StraightPlan, FunctionsOfABatchStayInKernels) {
  const std::string program =
      "ENTRY e {\n  x = f64[512,4] parameter(0)\n  y = f64[512,4] sine(x)\n  k = f64[512] constant({...})\n"
      "  s = f64[4,512] transpose(y), dimensions={1,0}\n  t = f64[4,512] exponential(s)\n  c = f64[4,512] cosine(t)\n"
      "  ROOT r = (f64[512,4], f64[4,512]) tuple(y, c)\n}\n";
  EXPECT_EQ(lines_of(program), "");
}

/// The saved time of many calls must exceed that of the compilation.
TEST(StraightPlan, LinesThatCompileForLongAreNotChosen) {
  Costs fast = kTestCosts;
  fast.dispatch = fast.inlined = 0.1;
  EXPECT_EQ(lines_of(products(1, "ROOT r = f64[1,3,3] negate(e)"), fast), "");
}

StatusOr<std::vector<Literal>> run_on_cpu(const hlo::Module& module, const std::vector<Literal>& arguments) {
  HILO_ASSIGN_OR_RETURN(const auto executable, tests::cpu_client()->compile(module, {}, nullptr));
  return tests::run_literals(*executable, arguments);
}

TEST(StraightPlan, BothLinesComputeTheResults) {
  for (const int64_t batch : {8, 13, 64}) {
    tests::RandomProgram program;
    program.module = parsed("HloModule m\n\n" + sliced(batch));
    for (int k = 0; k < 2; ++k) {
      Literal x(Shape::array(ElementType::kF64, {batch, 3, 3}));
      for (int64_t e = 0; e < x.shape().element_count(); ++e) x.data<double>()[e] = static_cast<double>(e % 7 - k) / 4;
      program.arguments.push_back(std::move(x));
    }
    EXPECT_EQ(hlo::disagreement(program, run_on_cpu, tests::by_names()), "") << batch;
  }
}

/// An infinite element is multiplied by zeros of the constant: the guard rejects this turn, and those after it.
TEST(StraightPlan, LoopsOfLinesComputeTheResults) {
  for (const int64_t batch : {1, 8, 13, 64}) {
    for (const double special : {1.0, HUGE_VAL, -0.0, std::nan("")}) {
      for (const int32_t turn_count : {0, 1, 2, 5}) {
        tests::RandomProgram program;
        program.module = parsed("HloModule m\n\n" + turns(batch));
        Literal count(Shape::scalar(ElementType::kS32));
        count.data<int32_t>()[0] = turn_count;
        program.arguments.push_back(std::move(count));
        for (int k = 0; k < 2; ++k) {
          Literal x(Shape::array(ElementType::kF64, {batch, 3, 3}));
          const int64_t elements = x.shape().element_count();
          for (int64_t e = 0; e < elements; ++e) x.data<double>()[e] = static_cast<double>(e % 7 - k) / 4;
          if (k == 0) x.data<double>()[elements - 2] = special;
          program.arguments.push_back(std::move(x));
        }
        EXPECT_EQ(hlo::disagreement(program, run_on_cpu, tests::by_names()), "")
            << batch << " " << special << " " << turn_count;
      }
    }
  }
}

}  // namespace
}  // namespace hilo::engine
