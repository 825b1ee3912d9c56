// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/text/parser.h"
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

/// Two runs of one executable.
std::vector<Literal> drawn_twice(const ClientPtr& client) {
  constexpr char kDraw[] = R"(HloModule draw
ENTRY e {
  low = f32[] constant(0)
  high = f32[] constant(1)
  ROOT x = f32[33] rng(low, high), distribution=rng_uniform
})";
  const auto executable = client->compile(*hlo::parse_module(kDraw), {}, nullptr);
  std::vector<Literal> drawn;
  for (int run = 0; run < 2; ++run) {
    BufferPtr result;
    const Status status = executable.ok() ? (*executable)->execute({}, {&result, 1}) : executable.status();
    EXPECT_TRUE(status.ok()) << status.to_string();
    if (status.ok()) drawn.push_back(*literal_from_buffer(*result));
  }
  return drawn;
}

TEST(ReferenceEngine, DrawsOtherNumbersAtEachRunAsTheHostDoes) {
  const std::vector<Literal> drawn = drawn_twice(tests::reference_client()), wanted = drawn_twice(tests::cpu_client());
  ASSERT_EQ(drawn.size(), 2u);
  ASSERT_EQ(wanted.size(), 2u);
  EXPECT_FALSE(drawn[0].identical(drawn[1])) << drawn[0].to_string();
  for (size_t run = 0; run < 2; ++run)
    EXPECT_TRUE(drawn[run].identical(wanted[run])) << drawn[run].to_string() << wanted[run].to_string();
}

TEST(ReferenceEngine, RefusesAModuleWithoutEntry) {
  EXPECT_EQ(tests::reference_client()->compile({}, {}, nullptr).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo
