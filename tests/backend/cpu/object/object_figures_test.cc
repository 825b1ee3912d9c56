// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/object_figures.h"

#include <gtest/gtest.h>

namespace hilo::cpu {
namespace {

TEST(ObjectFigures, StackIsTheDriverAndTwiceTheLargestOther) {
  JoinedObject object;
  object.functions = {{"f", 0, 10, 100}, {"f_call", 0, 10, 28}, {"a", 1, 10, 56}, {"b", 2, 10, 928}};
  const std::vector<PartRole> roles = {{}, {0, false}, {0, false}};
  EXPECT_EQ(*stack_bytes_of(object, roles), 100 + 72 + 28 + 72 + 2 * (928 + 72));
  object.undefined = {"memcpy"};
  EXPECT_EQ(*stack_bytes_of(object, roles), 100 + 72 + 28 + 72 + 2 * (928 + 72) + 4096);
  object.functions[2].stack_bytes = -1;
  EXPECT_EQ(stack_bytes_of(object, roles).status().code(), StatusCode::kInternal);
}

TEST(ObjectFigures, OneLevelRunsACall) {
  JoinedObject object;
  object.functions = {{"f", 0, 10, 28}, {"low", 1, 10, 128}, {"a", 2, 10, 28}, {"high", 3, 10, 28}, {"b", 4, 10, 428}};
  const std::vector<PartRole> roles = {{}, {0, true}, {0, false}, {1, true}, {1, false}};
  EXPECT_EQ(*stack_bytes_of(object, roles), 100 + 100 + 2 * 500);
}

TEST(ObjectFigures, TargetsAreLevels) {
  using Isas = std::vector<Isa>;
  for (const Isas& isas :
       {Isas{Isa::kSse2}, Isas{Isa::kAvx2, Isa::kAvx512}, Isas{Isa::kSse2, Isa::kAvx2, Isa::kAvx512}, Isas{Isa::kNeon}})
    EXPECT_EQ(*isas_of_target(target_name(isas)), isas);
  EXPECT_EQ(*isas_of_target("exact:x86-64:v2,v4"), (Isas{Isa::kExactSse2, Isa::kExactAvx512}));
  EXPECT_EQ(target_name(Isas{Isa::kExactSse2, Isa::kExactAvx2}), "x86-64:v2,v3");
  EXPECT_EQ(*isas_of_target("exact:aarch64"), Isas{Isa::kExactNeon});
  EXPECT_EQ(*isas_of_target("exact:"), Isas{exact_of(*selected_isa())});
  for (const char* other :
       {"", "avx2", "v3", "x86-64", "x86-64:", "x86-64:v1", "x86-64:v3,v2", "x86-64:v3,v3", "x86-64:v3,", "x86-64:v3v4",
        "arm64:v3", "aarch64:neon", "aarch64,x86-64:v3", "x86-64:v3,aarch64", "exact:v3", "exact:exact:aarch64"})
    EXPECT_EQ(isas_of_target(other).status().code(), StatusCode::kInvalidArgument) << other;
}

}  // namespace
}  // namespace hilo::cpu
