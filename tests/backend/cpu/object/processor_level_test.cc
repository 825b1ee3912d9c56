// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/processor_level.h"

#include <gtest/gtest.h>

#include <array>

#include "hilo/backend/cpu/emit/jit_probe.h"
#include "hilo/backend/cpu/load/compiled_code.h"

namespace hilo::cpu {
namespace {

TEST(ProcessorLevel, IsThatOfTheHost) {
  const std::string probe = *(*compile_probe(JitProbe::kAddOne, Isa::kSse2))->object();
  const std::array<ObjectPart, 1> parts = {{{probe, "a."}}};
  const std::array<RawFunction, 1> raw = {processor_level()};
  const auto joined = join_objects(parts, {}, raw);
  ASSERT_TRUE(joined.ok()) << joined.status().to_string();
  const auto code = load_object(std::make_shared<const std::string>(joined->bytes));
  ASSERT_TRUE(code.ok()) << code.status().to_string();
  const auto level = reinterpret_cast<int (*)()>((*code)->lookup(processor_level().name));
  ASSERT_NE(level, nullptr);
  EXPECT_EQ(level(), static_cast<int>(level_number(host_isa())));
}

}  // namespace
}  // namespace hilo::cpu
