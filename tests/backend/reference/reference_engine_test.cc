// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "hilo/hlo/build/builder.h"
#include "tests/support/clients.h"

namespace hilo {
namespace {

hlo::Module add_module() {
  hlo::Builder b("main");
  const Shape shape = Shape::array(ElementType::kF32, {3});
  const auto x = b.parameter(shape, "x"), y = b.parameter(shape, "y");
  const auto sum = *b.add(hlo::Opcode::kAdd, {x, y});
  hlo::Module module;
  module.name = "add";
  module.entry = *std::move(b).build(sum);
  return module;
}

TEST(ReferenceEngine, RunsAProgram) {
  auto executable = tests::reference_client()->compile(add_module(), {}, nullptr);
  ASSERT_TRUE(executable.ok());
  const BufferPtr x = tests::argument_of(**executable, Literal::array<float>({3}, {1, 2, 3}));
  const BufferPtr y = tests::argument_of(**executable, Literal::array<float>({3}, {10, 20, 30}));
  const BufferPtr arguments[] = {x, y};
  BufferPtr results[1];
  ASSERT_TRUE((*executable)->execute(arguments, results).ok());
  EXPECT_EQ(literal_from_buffer(*results[0])->to_string(), "f32[3] {11, 22, 33}");
}

TEST(ReferenceEngine, ADonatedArgumentIsGoneAfterwards) {
  auto executable = tests::reference_client()->compile(add_module(), {}, nullptr);
  ASSERT_TRUE(executable.ok());
  const BufferPtr x = tests::argument_of(**executable, Literal::array<float>({3}, {1, 2, 3}));
  const BufferPtr y = tests::argument_of(**executable, Literal::array<float>({3}, {10, 20, 30}));
  const BufferPtr arguments[] = {x, y};
  BufferPtr results[1];
  const bool donated[] = {true, false};
  ExecuteOptions options;
  options.donated = donated;
  ASSERT_TRUE((*executable)->execute(arguments, results, options).ok());
  EXPECT_EQ(x->state(), BufferState::kDonated);
  EXPECT_EQ((*executable)->execute(arguments, results).code(), StatusCode::kInvalidArgument);
}

TEST(ReferenceEngine, RefusesAModuleWithoutEntry) {
  EXPECT_EQ(tests::reference_client()->compile({}, {}, nullptr).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo
