// SPDX-License-Identifier: Apache-2.0
// What libhilo_rt.a computes in objects, next to the reference evaluator, on every instruction set.
#include "hilo/backend/cpu/library/object_routines.h"

#include "hilo/backend/cpu/codegen/compile.h"
#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/routine_hero.h"
#include "hilo/backend/cpu/load/cpu_program.h"
#include "hilo/backend/host/host_executable.h"
#include "hilo/hlo/passes/driver.h"
#include "hilo/hlo/passes/pass_list.h"
#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

/// The parts of complex numbers are compared as numbers.
void expect_close(const Literal& got, const Literal& wanted, double tolerance, const std::string& where) {
  const ElementType type = got.shape().element_type();
  const auto compare = [&]<typename T>() {
    const std::span<const T> a = got.data<T>(), b = wanted.data<T>();
    ASSERT_EQ(a.size(), b.size());
    for (size_t k = 0; k < a.size(); ++k) {
      ASSERT_LE(std::abs(a[k] - b[k]), tolerance * std::max(1.0, static_cast<double>(std::abs(b[k]))))
          << where << ": element " << k << " of " << got.to_string(64) << "\nwanted " << wanted.to_string(64);
    }
  };
  if (type == ElementType::kC64) compare.operator()<std::complex<float>>();
  else if (type == ElementType::kC128) compare.operator()<std::complex<double>>();
  else expect_near(got, wanted, tolerance, where);
}

/// Runs the program as an object runs it. Expects that its first library call is a call of libhilo_rt.a.
std::vector<Literal> run_as_object(const hlo::Module& module, Isa isa, const std::vector<Literal>& arguments) {
  auto optimized = std::make_unique<hlo::Module>(module);
  EXPECT_TRUE(hlo::run_passes(*optimized, hlo::default_pipeline(), {}).ok());
  StatusOr<EmittedPlan> emitted = compile_plan(*optimized, isa, engine::LoopForm::kSteps);
  EXPECT_TRUE(emitted.ok()) << emitted.status().to_string();
  if (!emitted.ok() || emitted->plan.library_calls.empty()) return {};
  const auto routine = routine_of(emitted->plan.library_calls[0], isa);
  EXPECT_TRUE(routine.ok() && *routine) << emitted->plan.library_calls[0].symbol;
  StatusOr<Program> program = load_program(std::move(emitted->plan), isa, bind_routine);
  EXPECT_TRUE(program.ok()) << program.status().to_string();
  if (!program.ok()) return {};
  HostExecutable executable(
      std::make_unique<CpuProgram>(host_signature(module, {}), std::make_unique<ProgramModule>(std::move(optimized)),
                                   *std::move(program), 0, 0),
      std::vector{*tests::cpu_client()->local_device(0)});
  return run(executable, arguments);
}

/// Runs a dot by its routine. A plan may have loops instead.
std::vector<Literal> run_dot(const hlo::Module& module, Isa isa, const std::vector<Literal>& arguments) {
  const hlo::Instruction& dot = module.entry->root();
  std::vector<Shape> operands;
  std::vector<void*> buffers;
  for (const Literal& argument : arguments) {
    operands.push_back(argument.shape());
    buffers.push_back(const_cast<std::byte*>(argument.bytes().data()));
  }
  const std::optional<RoutineCall> routine = dot_routine({{dot, operands, std::span(&dot.shape, 1)}, isa});
  EXPECT_TRUE(routine);
  std::vector<Literal> results(1, Literal(dot.shape));
  buffers.push_back(results[0].mutable_bytes().data());
  if (!routine) return {};
  EXPECT_TRUE(make_routine_hero(*routine, {}, {})->run(buffers.data(), {}).ok());
  return results;
}

using Run = std::vector<Literal> (*)(const hlo::Module& module, Isa isa, const std::vector<Literal>& arguments);

void expect_as_reference(const std::string& body, double tolerance = 1e-5, Run run = run_as_object) {
  SCOPED_TRACE(body);
  StatusOr<hlo::Module> module = hlo::parse_module("HloModule m\n\nENTRY main {\n" + body + "\n}\n");
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  std::vector<Literal> arguments, wanted;
  for (const Shape& shape : host_signature(*module, {}).argument_shapes)
    arguments.push_back(sample(shape, static_cast<unsigned>(arguments.size()) + 1));
  const StatusOr<Literal> reference = hlo::evaluate(*module, arguments);
  ASSERT_TRUE(reference.ok()) << reference.status().to_string();
  flatten(*reference, wanted);
  for (const Isa isa : supported_isas()) {
    const std::vector<Literal> got = run(*module, isa, arguments);
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t k = 0; k < got.size(); ++k) expect_close(got[k], wanted[k], tolerance, std::string(isa_name(isa)));
  }
}

TEST(ObjectRoutines, MultiplyMatrices) {
  for (const std::string type : {"c64", "c128", "s8", "s32", "u64", "s4", "f32", "f64"}) {
    expect_as_reference("x = " + type + "[3,9,70] parameter(0)\n  y = " + type +
                            "[3,70,21] parameter(1)\n  ROOT z = " + type +
                            "[3,9,21] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                            "lhs_contracting_dims={2}, rhs_contracting_dims={1}",
                        1e-4, run_dot);
    expect_as_reference("x = " + type + "[5,2,3,4] parameter(0)\n  y = " + type + "[4,6,5] parameter(1)\n  ROOT z = " +
                            type + "[2,3,6] dot(x, y), lhs_contracting_dims={3,0}, rhs_contracting_dims={0,2}",
                        1e-4, run_dot);
  }
  expect_as_reference(
      "x = s8[3,700] parameter(0)\n  y = s8[700,2] parameter(1)\n"
      "  ROOT z = s32[3,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      0, run_dot);
}

TEST(ObjectRoutines, Convolve) {
  for (const std::string type : {"f32", "f64", "c64", "s32", "bf16"}) {
    const double tolerance = type == "bf16" ? 0.02 : 1e-4;
    const auto convolve = [&](const std::string& x, const std::string& y, const std::string& z,
                              const std::string& rest) {
      expect_as_reference("x = " + type + x + " parameter(0)\n  y = " + type + y + " parameter(1)\n  ROOT z = " + type +
                              z + " convolution(x, y), " + rest,
                          tolerance);
    };
    convolve("[2,9,8,3]", "[3,3,3,18]", "[2,9,8,18]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f");
    convolve("[2,3,9,8]", "[5,3,3,2]", "[2,5,4,4]",
             "window={size=3x2 stride=2x2 rhs_reversal=1x0}, dim_labels=bf01_oi01->bf01");
    convolve("[2,7,4]", "[3,2,6]", "[2,13,6]",
             "window={size=3 pad=1_1 lhs_dilate=2}, dim_labels=b0f_0io->b0f, feature_group_count=2");
    convolve("[4,7,3]", "[3,3,6]", "[2,3,6]",
             "window={size=3 rhs_dilate=2}, dim_labels=b0f_0io->b0f, batch_group_count=2");
    convolve("[2,600,1]", "[590,1,2]", "[2,11,2]", "window={size=590}, dim_labels=b0f_0io->b0f");
  }
}

TEST(ObjectRoutines, TransformLines) {
  for (const auto& [type, part] : {std::pair<std::string, std::string>{"c64", "f32"}, {"c128", "f64"}}) {
    const double tolerance = type == "c64" ? 2e-4 : 1e-11;
    // Few and many lines; lengths with small factors, with large prime factors, odd, and beyond one table.
    for (const int n : {2, 15, 64, 127, 360, 1024, 2311}) {
      for (const int rows : {1, 20}) {
        if (rows > 1 && n > 1024) continue;
        const std::string size = std::to_string(n), many = "[" + std::to_string(rows) + ",";
        const std::string half = std::to_string(n / 2 + 1), length = "fft_length={" + size + "}";
        for (const std::string kind : {"FFT", "IFFT"})
          expect_as_reference("x = " + type + many + size + "] parameter(0)\n  ROOT y = " + type + many + size +
                                  "] fft(x), fft_type=" + kind + ", " + length,
                              tolerance);
        expect_as_reference("x = " + part + many + size + "] parameter(0)\n  ROOT y = " + type + many + half +
                                "] fft(x), fft_type=RFFT, " + length,
                            tolerance);
        expect_as_reference("x = " + type + many + half + "] parameter(0)\n  ROOT y = " + part + many + size +
                                "] fft(x), fft_type=IRFFT, " + length,
                            tolerance);
      }
    }
    expect_as_reference("x = " + type + "[3,12,10,70] parameter(0)\n  ROOT y = " + type +
                            "[3,12,10,70] fft(x), fft_type=FFT, fft_length={12,10,70}",
                        tolerance);
    expect_as_reference("x = " + type + "[3,12,36] parameter(0)\n  ROOT y = " + part +
                            "[3,12,70] fft(x), fft_type=IRFFT, fft_length={12,70}",
                        tolerance);
  }
}

TEST(ObjectRoutines, SolveAndFactor) {
  expect_as_reference(
      "x = f64[3,12,12] parameter(0)\n  y = f64[3,12,5] parameter(1)\n  ROOT z = f64[3,12,5] "
      "triangular-solve(x, y), left_side=true, lower=true, unit_diagonal=true, transpose_a=TRANSPOSE",
      1e-6);
}

}  // namespace
}  // namespace hilo::cpu
