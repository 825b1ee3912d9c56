// SPDX-License-Identifier: Apache-2.0
// Cancels at each single check of the token, during compilation or execution. The result is CANCELLED or correct, and
// afterwards the same program compiles and runs.
//
// HILO_LOOKS=all tries every check (make fuzz, make sanitize); by default a few of each program.
#if defined(__x86_64__)  // tests/support/counted_looks.cc
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "hilo/base/caches.h"
#include "hilo/base/thread_pool.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/types/literal_leaves.h"
#include "tests/support/clients.h"
#include "tests/support/counted_looks.h"
#include "tests/support/samples.h"
#include "tests/support/status_cell.h"

namespace hilo::tests {
namespace {

struct Program {
  std::string name;
  hlo::Module module;
  std::vector<Literal> arguments;  ///< leaves
};

/// The results, or the error.
StatusOr<std::vector<Literal>> run(const Program& program, const CancellationToken* token) {
  CompileOptions options;
  options.cancellation.token = token;
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Executable> executable,
                        cpu_client()->compile(program.module, options, nullptr));
  std::vector<BufferPtr> arguments, results(executable->result_shapes().size());
  for (const Literal& leaf : program.arguments) arguments.push_back(cpu_buffer(leaf));
  ExecuteOptions how;
  how.cancellation = token;
  HILO_RETURN_IF_ERROR(executable->execute(arguments, results, how));
  std::vector<Literal> leaves;
  for (const BufferPtr& result : results) {
    HILO_ASSIGN_OR_RETURN(leaves.emplace_back(), literal_from_buffer(*result));
  }
  return leaves;
}

bool are_equal(const std::vector<Literal>& a, const std::vector<Literal>& b) {
  return std::ranges::equal(a, b, [](const Literal& x, const Literal& y) {
    return x.bytes().size() == y.bytes().size() &&
           std::memcmp(x.bytes().data(), y.bytes().data(), x.bytes().size()) == 0;
  });
}

/// The checks at which to cancel: all of `count`, or `few` that differ between programs.
std::vector<int64_t> looks_to_try(int64_t count, size_t program, int64_t few) {
  std::vector<int64_t> tries;
  const char* const wanted = std::getenv("HILO_LOOKS");
  const bool all = wanted != nullptr && std::string_view(wanted) == "all";
  const int64_t step = all ? 1 : std::max<int64_t>(1, count / few);
  for (int64_t look = static_cast<int64_t>(program) % step; look < count; look += step) tries.push_back(look);
  return tries;
}

/// Cancels one program at each selected check, with empty caches each time. Returns the number of tries.
int64_t check(const Program& program, size_t number, int64_t few) {
  clear_caches();
  StatusOr<std::vector<Literal>> wanted(std::vector<Literal>{});
  const int64_t count = count_looks(-1, [&](CancellationToken& token) { wanted = run(program, &token); });
  EXPECT_TRUE(wanted.ok()) << program.name << ": " << wanted.status().to_string();
  if (!wanted.ok()) return 0;
  const std::vector<int64_t> tries = looks_to_try(count, number, few);
  for (int64_t look : tries) {
    clear_caches();
    StatusOr<std::vector<Literal>> got(std::vector<Literal>{});
    count_looks(look, [&](CancellationToken& token) { got = run(program, &token); });
    const bool right = got.ok() ? are_equal(*got, *wanted) : got.status().code() == StatusCode::kCancelled;
    EXPECT_TRUE(right) << program.name << ", look " << look << ": " << got.status().to_string();
    const StatusOr<std::vector<Literal>> again = run(program, nullptr);
    EXPECT_TRUE(again.ok() && are_equal(*again, *wanted)) << program.name << ", after look " << look;
    if (testing::Test::HasFailure()) break;
  }
  return static_cast<int64_t>(tries.size());
}

/// All samples of an opcode and type that can be in one program; empty without samples.
std::optional<Program> program_of(hlo::Opcode opcode, ElementType type) {
  Program program{fmt::format("{} {}", hlo::opcode_name(opcode), element_type_name(type)), {}, {}};
  hlo::Builder builder("main");
  std::vector<hlo::InstructionId> results;
  for (const Sample& sample : samples_of(opcode, type, 17, Values::kSmooth)) {
    if (!computation_of(sample).ok()) continue;  // no such instruction: see tests/status
    results.push_back(*append(builder, sample));
    for (const Literal& leaf : leaves_of(sample.operands)) program.arguments.push_back(leaf);
  }
  if (results.empty()) return std::nullopt;
  const hlo::InstructionId root = builder.tuple(results);
  program.module = module_of(*std::move(builder).build(root));
  return program;
}

/// A program in HLO text with arguments of ones.
Program program_of(const std::string& name, const std::string& text) {
  StatusOr<hlo::Module> module = hlo::parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string() << text;
  Program program{name, *module, {}};
  for (const Shape& shape : module->entry->parameter_shapes()) {
    Literal ones(shape.with_default_layout());
    if (shape.element_type() == ElementType::kF32) std::ranges::fill(ones.data<float>(), 1.0f);
    program.arguments.push_back(std::move(ones));
  }
  return program;
}

/// Nested branches, loops and calls, with library calls and kernels in each of them.
constexpr const char* kPrograms[] = {
    R"(HloModule branches
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT }
left { p = f32[300] parameter(0) s = f32[300] sine(p) ROOT r = f32[300] sort(s), dimensions={0}, to_apply=less }
right { p = f32[300] parameter(0) z = f32[] constant(0) c = pred[] compare(z, z), direction=EQ
  ROOT r = f32[300] conditional(c, p, p), true_computation=inner, false_computation=left }
inner { p = f32[300] parameter(0) ROOT r = f32[300] exponential(p) }
ENTRY e { v = f32[300] parameter(0) q = pred[] parameter(1) a = f32[300] add(v, v)
  ROOT c = f32[300] conditional(q, a, v), true_computation=left, false_computation=right })",
    R"(HloModule loops
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
small { c = (f32[40], f32[]) parameter(0) t = f32[] get-tuple-element(c), index=1 l = f32[] constant(99) ROOT r = pred[] compare(t, l), direction=LT }
step { c = (f32[40], f32[]) parameter(0) x = f32[40] get-tuple-element(c), index=0 t = f32[] get-tuple-element(c), index=1
  h = f32[] constant(0.5) hs = f32[40] broadcast(h), dimensions={} y = f32[40] multiply(x, hs) z = f32[40] call(y), to_apply=twice
  s = f32[] reduce(z, t), dimensions={0}, to_apply=sum one = f32[] constant(1) n = f32[] add(s, one) ROOT r = (f32[40], f32[]) tuple(z, n) }
twice { p = f32[40] parameter(0) q = f32[40] tanh(p) ROOT r = f32[40] add(q, q) }
ENTRY e { v = f32[40] parameter(0) z = f32[] constant(0) t = (f32[40], f32[]) tuple(v, z)
  ROOT w = (f32[40], f32[]) while(t), condition=small, body=step })",
    R"(HloModule library
ENTRY e { v = f32[40,40] parameter(0) d = f32[40,40] dot(v, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  c = c64[40,40] convert(d) f = c64[40,40] fft(c), fft_type=FFT, fft_length={40} k = u64[2] constant({1, 2})
  g = (u64[2], u32[40]) rng-bit-generator(k), algorithm=rng_three_fry u = u32[40] get-tuple-element(g), index=1
  ROOT r = (c64[40,40], u32[40]) tuple(f, u) })",
    R"(HloModule tables
ENTRY e { v = f32[200003] parameter(0) c = c64[200003] convert(v) ROOT f = c64[200003] fft(c), fft_type=FFT, fft_length={200003} })",
};

class AtEveryLook : public testing::Test {
 protected:
  void SetUp() override { set_default_thread_count(1); }
  void TearDown() override { set_default_thread_count(0); }
};

TEST_F(AtEveryLook, SamplesOfAllOpsAreCancelledOrRight) {
  constexpr ElementType kTypes[] = {ElementType::kF32, ElementType::kS32, ElementType::kC64, ElementType::kPred};
  size_t programs = 0;
  int64_t tries = 0;
  for (int opcode = 0; opcode < hlo::kOpcodeCount && !HasFailure(); ++opcode) {
    if (!runs_alone(static_cast<hlo::Opcode>(opcode))) continue;
    for (const ElementType type : kTypes) {
      const std::optional<Program> program = program_of(static_cast<hlo::Opcode>(opcode), type);
      if (program) tries += check(*program, programs++, 2);
      if (program) break;  // one type of each op
    }
  }
  EXPECT_GT(programs, 100u);
  fmt::print("{} programs, {} looks\n", programs, tries);
}

TEST_F(AtEveryLook, BranchesLoopsAndLibraryCallsAreCancelledOrRight) {
  size_t programs = 0;
  for (const char* text : kPrograms) {
    const Program program = program_of(fmt::format("program {}", programs), text);
    check(program, programs++, 24);
  }
}

}  // namespace
}  // namespace hilo::tests
#endif
