// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/jit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <vector>

#include "hilo/backend/cpu/emit/jit_probe.h"
#include "hilo/backend/cpu/library/symbols.h"
#include "tests/support/leaks.h"

namespace hilo::cpu {
namespace {

using Unary = std::int64_t (*)(std::int64_t);
using Binary = double (*)(double, double);

TEST(Jit, RunsAFunctionOnEveryInstructionSet) {
  for (Isa isa : supported_isas()) {
    auto code = compile_probe(JitProbe::kAddOne, isa);
    ASSERT_TRUE(code.ok()) << code.status().to_string();
    auto* add_one = reinterpret_cast<Unary>((*code)->lookup("probe"));
    ASSERT_NE(add_one, nullptr);
    EXPECT_EQ(add_one(41), 42);
  }
}

TEST(Jit, LookupOfAnUnknownNameIsNull) {
  auto code = compile_probe(JitProbe::kAddOne, supported_isas().front());
  ASSERT_TRUE(code.ok()) << code.status().to_string();
  EXPECT_EQ((*code)->lookup("other"), nullptr);
  EXPECT_GT((*code)->size(), 0u);
}

TEST(Jit, CallsFunctionsOfTheRuntimeTable) {
  auto code = compile_probe(JitProbe::kCallsLibrary, supported_isas().front());
  ASSERT_TRUE(code.ok()) << code.status().to_string();
  EXPECT_EQ(reinterpret_cast<Binary>((*code)->lookup("probe"))(7.5, 2.0), 1.5);
}

TEST(Jit, ReadsConstantsOfItsOwnObject) {
  auto code = compile_probe(JitProbe::kReadsTable, supported_isas().front());
  ASSERT_TRUE(code.ok()) << code.status().to_string();
  auto* square = reinterpret_cast<Unary>((*code)->lookup("probe"));
  for (std::int64_t i = 0; i < 8; ++i) EXPECT_EQ(square(i), i * i);
}

TEST(Jit, RefusesCodeThatCallsAnUnknownFunction) {
  auto code = compile_probe(JitProbe::kCallsStranger, supported_isas().front());
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.status().code(), StatusCode::kInternal);
  EXPECT_NE(code.status().message().find("'hilo_no_such_function', which is not a runtime symbol"), std::string::npos)
      << code.status().to_string();
}

TEST(Jit, AFatalErrorOfLlvmIsAStatusAndTheThreadGoesOn) {
  const tests::LeaksAreMeant leaks_are_meant;
  for (int round = 0; round < 2; ++round) {
    auto code = compile_probe(JitProbe::kImpossible, supported_isas().front());
    ASSERT_FALSE(code.ok());
    EXPECT_EQ(code.status().code(), StatusCode::kInternal);
    EXPECT_NE(code.status().message().find("code generation: "), std::string::npos) << code.status().to_string();
    auto after = compile_probe(JitProbe::kAddOne, supported_isas().front());
    ASSERT_TRUE(after.ok()) << after.status().to_string();
    EXPECT_EQ(reinterpret_cast<Unary>((*after)->lookup("probe"))(1), 2);
  }
}

TEST(Jit, CompilesInSeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, &good] {
      for (int round = 0; round < 5; ++round) {
        auto code = compile_probe(JitProbe::kReadsTable, host_isa());
        if (code.ok() && reinterpret_cast<Unary>((*code)->lookup("probe"))(t) == t * t) ++good[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, std::vector<int>(4, 5));
}

TEST(LoadObject, RefusesBytesThatAreNoObject) {
  auto code = load_object(std::make_shared<const std::string>(200, 'x'));
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.status().code(), StatusCode::kInternal);
  EXPECT_NE(code.status().message().find("not a relocatable ELF object of this machine"), std::string::npos);
  EXPECT_FALSE(load_object(std::make_shared<const std::string>("xxx")).ok());
}

TEST(RuntimeSymbols, ANameKeepsItsFirstAddress) {
  static int first = 0;
  static int second = 0;
  EXPECT_TRUE(register_runtime_symbol("hilo_test_symbol", &first).ok());
  EXPECT_TRUE(register_runtime_symbol("hilo_test_symbol", &first).ok());
  Status again = register_runtime_symbol("hilo_test_symbol", &second);
  EXPECT_EQ(again.code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(again.message(), "runtime symbol 'hilo_test_symbol': the name is registered for another function");
  EXPECT_EQ(find_runtime_symbol("hilo_test_symbol"), &first);
  EXPECT_EQ(find_runtime_symbol("hilo_test_other"), nullptr);
  EXPECT_EQ(register_runtime_symbol("hilo_test_null", nullptr).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo::cpu
