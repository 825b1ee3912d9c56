// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/abi/isa.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace hilo::cpu {
namespace {

/// Sets HILO_ISA for one test and restores it.
class ScopedIsa {
 public:
  explicit ScopedIsa(const char* value) {
    if (const char* old = std::getenv("HILO_ISA")) old_ = old;
    value == nullptr ? unsetenv("HILO_ISA") : setenv("HILO_ISA", value, 1);
  }
  ~ScopedIsa() { old_.empty() ? unsetenv("HILO_ISA") : setenv("HILO_ISA", old_.c_str(), 1); }

 private:
  std::string old_;
};

TEST(Isa, NamesReadBack) {
  for (Isa isa : {Isa::kSse2, Isa::kAvx2, Isa::kAvx512}) {
    auto parsed = parse_isa(isa_name(isa));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, isa);
  }
}

TEST(Isa, SupportedOnesStartAtSse2AndEndAtTheHosts) {
  auto isas = supported_isas();
  ASSERT_FALSE(isas.empty());
  EXPECT_EQ(isas.front(), Isa::kSse2);
  EXPECT_EQ(isas.back(), host_isa());
}

TEST(Isa, NeonIsNotOfThisMachine) {
  EXPECT_EQ(isa_name(Isa::kNeon), "neon");
  EXPECT_FALSE(parse_isa("neon").ok());
  EXPECT_FALSE(is_native(Isa::kNeon));
  EXPECT_FALSE(host_has(Isa::kNeon));
  EXPECT_EQ(vector_bytes(Isa::kNeon), 16);
  EXPECT_TRUE(has_fma(Isa::kNeon) && has_32_registers(Isa::kNeon));
}

TEST(Isa, NeonBitsIsCodeOfThisMachineThatJitNeverSelects) {
  EXPECT_TRUE(is_native(Isa::kNeonBits));
  EXPECT_EQ(host_has(Isa::kNeonBits), host_has(Isa::kAvx2));
  EXPECT_EQ(vector_bytes(Isa::kNeonBits), vector_bytes(Isa::kNeon));
  EXPECT_FALSE(parse_isa(isa_name(Isa::kNeonBits)).ok());
}

/// What decides about the operations of code is equal for all of them.
TEST(Isa, ExactOnesDifferInInstructionsOnly) {
  for (const Isa isa : {Isa::kSse2, Isa::kAvx2, Isa::kAvx512, Isa::kNeon}) {
    const Isa exact = exact_of(isa);
    EXPECT_TRUE(is_exact(exact) && !is_exact(isa));
    EXPECT_EQ(vector_bytes(exact), vector_bytes(Isa::kExactSse2));
    EXPECT_FALSE(has_fma(exact) || has_rounding(exact) || has_f16_convert(exact) || has_32_registers(exact));
    EXPECT_EQ(library_isa(exact), Isa::kSse2);
    EXPECT_EQ(host_has(exact), host_has(isa));
    EXPECT_EQ(is_native(exact), is_native(isa));
    EXPECT_EQ(is_arm(exact), is_arm(isa));
    EXPECT_STREQ(llvm_features(exact), llvm_features(isa));
    EXPECT_FALSE(parse_isa(isa_name(exact)).ok());
  }
}

TEST(Isa, VectorsDoubleInWidth) {
  EXPECT_EQ(vector_bytes(Isa::kSse2), 16);
  EXPECT_EQ(vector_bytes(Isa::kAvx2), 32);
  EXPECT_EQ(vector_bytes(Isa::kAvx512), 64);
}

TEST(SelectedIsa, IsTheHostsWithoutTheVariable) {
  ScopedIsa scope(nullptr);
  auto isa = selected_isa();
  ASSERT_TRUE(isa.ok());
  EXPECT_EQ(*isa, host_isa());
}

TEST(SelectedIsa, FollowsTheVariable) {
  ScopedIsa scope("sse2");
  auto isa = selected_isa();
  ASSERT_TRUE(isa.ok());
  EXPECT_EQ(*isa, Isa::kSse2);
}

TEST(SelectedIsa, RefusesAnUnknownWord) {
  ScopedIsa scope("avx9");
  auto isa = selected_isa();
  ASSERT_FALSE(isa.ok());
  EXPECT_EQ(isa.status().to_string(),
            "INVALID_ARGUMENT: HILO_ISA: unknown instruction set; got 'avx9'; wanted sse2, avx2 or avx512");
}

TEST(SelectedIsa, RefusesWhatTheMachineLacks) {
  ScopedIsa scope("avx512");
  auto isa = selected_isa();
  EXPECT_EQ(isa.ok(), host_isa() == Isa::kAvx512);
  if (!isa.ok()) {
    EXPECT_EQ(isa.status().code(), StatusCode::kFailedPrecondition);
    EXPECT_NE(isa.status().message().find("this machine lacks the instruction set"), std::string::npos);
  }
}

}  // namespace
}  // namespace hilo::cpu
