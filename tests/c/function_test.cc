// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <complex>
#include <thread>
#include <vector>

#include "tests/support/c_handles.h"
#include "tests/support/has.h"

namespace hilo::tests {
namespace {

/// Memory for a call of kSquare.
struct Memory {
  double x[3] = {1, 2, 3}, k[3] = {1, 10, 100};
  double y = 0, z[3] = {};
  const void* arguments[2] = {x, k};
  void* results[2] = {&y, z};
};

std::string call(const hilo_function* function, const Memory& m) {
  return error_of_c([&](char** error) { return hilo_call(function, m.arguments, 2, m.results, 2, error); });
}

TEST(CFunction, WritesToTheCallersMemory) {
  const FunctionHandle function = function_of(program_of(kSquare).get());
  Memory m;
  EXPECT_EQ(call(function.get(), m), "");
  EXPECT_EQ(m.y, 941);
  EXPECT_EQ(m.z[1], 12);
  EXPECT_STREQ(hilo_program_name(hilo_function_program(function.get())), "square");
  EXPECT_EQ(hilo_function_program(nullptr), nullptr);
}

TEST(CFunction, IsAPlainPointerForAnyNumberOfThreads) {
  const FunctionHandle function = function_of(program_of(kSquare).get());
  void* context = nullptr;
  const hilo_pointer pointer = hilo_function_pointer(function.get(), &context);
  ASSERT_NE(pointer, nullptr);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      Memory m;
      for (int i = 0; i < 200; ++i) {
        m.x[0] = t + i;
        if (pointer(m.arguments, m.results, context) != HILO_CODE_OK || m.y != m.x[0] * m.x[0] + 940) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(pointer(nullptr, nullptr, context), HILO_CODE_INVALID_ARGUMENT);
  EXPECT_EQ(pointer(nullptr, nullptr, nullptr), HILO_CODE_INVALID_ARGUMENT);
  EXPECT_EQ(hilo_function_pointer(nullptr, &context), nullptr);
  EXPECT_EQ(context, nullptr);
  EXPECT_EQ(hilo_function_pointer(function.get(), nullptr), nullptr);
}

TEST(CFunction, WrongMemoryIsAnErrorAndNothingIsWritten) {
  const FunctionHandle function = function_of(program_of(kSquare).get());
  const auto expect_error = [&](const char* part, const auto& change) {
    Memory m;
    change(m);
    EXPECT_HAS(call(function.get(), m), part);
    EXPECT_TRUE(m.y == 0 && m.z[0] == 0 && m.x[2] == 3);
  };
  expect_error("3 INVALID_ARGUMENT: hilo_call: argument 1 is null", [](Memory& m) { m.arguments[1] = nullptr; });
  expect_error("result 0 is null", [](Memory& m) { m.results[0] = nullptr; });
  expect_error("wanted a multiple of 8", [](Memory& m) { m.arguments[0] = reinterpret_cast<const char*>(m.x) + 4; });
  expect_error("result 1 overlaps argument 0", [](Memory& m) { m.results[1] = m.x + 2; });
  expect_error("results 0 and 1 overlap", [](Memory& m) { m.results[0] = m.z + 2; });
  const Memory m;
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_call(function.get(), m.arguments, 3, m.results, 2, e); }),
             "got 3 arguments; wanted 2");
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_call(function.get(), m.arguments, 2, m.results, 1, e); }),
             "got 1 results; wanted 2");
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_call(function.get(), nullptr, 2, m.results, 2, e); }),
             "arguments is null");
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_call(function.get(), m.arguments, 2, nullptr, 2, e); }),
             "results is null");
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_call(nullptr, m.arguments, 2, m.results, 2, e); }),
             "function is null");
  EXPECT_EQ(m.y, 0);
}

TEST(CFunction, ArraysWithoutElementsNeedNoAddress) {
  const FunctionHandle function = function_of(program_of(kTypes).get());
  const uint16_t a[4] = {0x3f80, 0x4000, 0, 0xbf80};
  const unsigned char p[5] = {1, 0, 1, 0, 0};
  const std::complex<double> c[3] = {{0, 1}, {1, 1}, {2, 0}};
  float d[4] = {};
  unsigned char e[5] = {};
  alignas(16) std::complex<double> f[3] = {};
  alignas(16) std::complex<double> in[3] = {c[0], c[1], c[2]};
  const void* arguments[] = {a, p, in, d + 1};  // nothing overlaps an array without elements
  void* results[] = {d, e, f, nullptr};
  ASSERT_EQ(error_of_c([&](char** error) { return hilo_call(function.get(), arguments, 4, results, 4, error); }), "");
  EXPECT_EQ(d[3], -1);
  EXPECT_EQ(e[1], 1);
  EXPECT_EQ(f[0], std::complex<double>(-1, 0));
  EXPECT_EQ(f[1], std::complex<double>(0, 2));
  arguments[3] = nullptr;
  EXPECT_EQ(hilo_call(function.get(), arguments, 4, results, 4, nullptr), HILO_CODE_OK);
}

TEST(CFunction, StaysValidWithoutItsProgram) {
  ProgramHandle program = program_of(kSquare);
  const FunctionHandle function = function_of(program.get());
  program.reset();
  Memory m;
  EXPECT_EQ(call(function.get(), m), "");
  EXPECT_EQ(hilo_argument_count(hilo_function_program(function.get())), 2u);
}

TEST(CFunction, HasThreadsOfItsOwn) {
  const ProgramHandle program = program_of(kSquare);
  for (const int32_t threads : {1, 3}) {
    hilo_compile_options options = {};
    options.size = sizeof options;
    options.threads = threads;
    const FunctionHandle function = function_of(program.get(), &options);
    Memory m;
    EXPECT_EQ(call(function.get(), m), "");
    EXPECT_EQ(m.y, 941);
  }
}

TEST(CFunction, WrongOptionsAreErrors) {
  const ProgramHandle program = program_of(kSquare);
  hilo_compile_options options = {};
  options.size = sizeof options;
  hilo_function* function = nullptr;
  const auto error = [&] {
    const std::string text =
        error_of_c([&](char** place) { return hilo_compile(program.get(), &options, &function, place); });
    EXPECT_EQ(function, nullptr);
    return text;
  };
  options.threads = -1;
  EXPECT_HAS(error(), "got -1 threads");
  options.threads = 0;
  options.effort = 3;
  EXPECT_HAS(error(), "got effort 3");
  options.effort = HILO_EFFORT_FASTEST;
  options.budget = -1;
  EXPECT_HAS(error(), "got a budget of -1 s");
  options.budget = 2;
  options.flag_count = 1;
  EXPECT_HAS(error(), "flags is null");
  const char* flag = nullptr;
  options.flags = &flag;
  EXPECT_HAS(error(), "flags[0] is null");
  flag = "hilo_compile_seconds";
  EXPECT_HAS(error(), "wanted NAME=VALUE");
  flag = "hilo_compile_secunds=3";
  EXPECT_HAS(error(), "hilo_compile_seconds");
  flag = "hilo_max_memory=1";
  EXPECT_HAS(error(), "8 RESOURCE_EXHAUSTED");
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_compile(nullptr, nullptr, &function, e); }), "program is null");
  EXPECT_HAS(error_of_c([&](char** e) { return hilo_compile(program.get(), nullptr, nullptr, e); }),
             "function is null");
}

}  // namespace
}  // namespace hilo::tests
