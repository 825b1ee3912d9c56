// SPDX-License-Identifier: Apache-2.0
// Opens the plugin with hilo's own loader. Results have the same bits as on platform Host in the same process.
#include <gtest/gtest.h>

#include <complex>
#include <limits>

#include "hilo/backend/custom_call.h"
#include "hilo/backend/pjrt/call.h"
#include "hilo/backend/pjrt/plugin_buffer.h"
#include "hilo/client/platforms.h"
#include "hilo/device/buffer.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/types/literal_leaves.h"
#include "tests/paths.h"
#include "tests/support/random_program.h"

namespace hilo::tests {
namespace {

class ByLoader : public testing::TestWithParam<plugins::ProgramFormat> {
 protected:
  static ClientPtr client_of(int64_t devices) {
    plugins::PluginPlatform platform{.name = "Plugin", .path = std::string(kBinDir) + "/../lib/libhilo_pjrt.so"};
    platform.options.emplace_back("cpu_device_count", devices);
    platform.format = GetParam();
    return *plugins::make_plugin_client(platform, {});
  }
  std::unique_ptr<Executable> compiled(const std::string& text, int64_t replicas = 1) {
    CompileOptions options;
    options.replica_count = replicas;
    StatusOr<std::unique_ptr<Executable>> made = client_->compile(*hlo::parse_module(text), options, nullptr);
    EXPECT_TRUE(made.ok()) << made.status().to_string();
    return *std::move(made);
  }
  BufferPtr buffer(const Literal& value, size_t device = 0) {
    return *buffer_from_literal(*client_->devices()[device], value);
  }
  static Literal numbers() { return Literal::array<float>({2, 3}, {1, 2, 3, 4, 5, 6}); }
  /// The address of the array's memory in this process.
  uintptr_t address(const BufferPtr& buffer) {
    PJRT_Buffer_UnsafePointer_Args args{};
    args.buffer = plugins::plugin_buffer(buffer).raw();
    const auto& client = static_cast<const plugins::PluginClient&>(*client_);
    EXPECT_TRUE(plugins::call(client.plugin(), &PJRT_Api::PJRT_Buffer_UnsafePointer, args).ok());
    return args.buffer_pointer;
  }

  ClientPtr client_ = client_of(2);
};

StatusOr<std::vector<Literal>> run(Client& client, const RandomProgram& program) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Executable> executable, client.compile(program.module, {}, nullptr));
  std::vector<BufferPtr> arguments, results(executable->result_shapes().size());
  for (const Literal& argument : program.arguments) {
    for (const Literal& leaf : leaves_of(argument)) {
      HILO_ASSIGN_OR_RETURN(BufferPtr buffer, buffer_from_literal(*executable->devices()[0], leaf));
      arguments.push_back(std::move(buffer));
    }
  }
  HILO_RETURN_IF_ERROR(executable->execute(arguments, results, {}));
  std::vector<Literal> values;
  for (const BufferPtr& result : results) {
    HILO_ASSIGN_OR_RETURN(Literal value, literal_from_buffer(*result));
    values.push_back(std::move(value));
  }
  return values;
}

/// Whether two complex arrays are equal up to the last bits. StableHLO has no complex atan and similar functions, so
/// they are decomposed and may round differently.
template <typename T>
bool alike_but_for_rounding(const Literal& a, const Literal& b) {
  constexpr auto kSlack = 8 * std::numeric_limits<typename T::value_type>::epsilon();
  const std::span<const T> x = a.data<T>(), y = b.data<T>();
  for (size_t i = 0; i < x.size(); ++i) {
    if (!(std::abs(x[i] - y[i]) <= kSlack * std::abs(y[i]))) return false;
  }
  return true;
}
bool alike(const Literal& a, const Literal& b) {
  if (a.identical(b) || a.shape() != b.shape()) return a.identical(b);
  if (a.shape().element_type() == ElementType::kC64) return alike_but_for_rounding<std::complex<float>>(a, b);
  return a.shape().element_type() == ElementType::kC128 && alike_but_for_rounding<std::complex<double>>(a, b);
}

TEST_P(ByLoader, RandomProgramsGiveTheBitsOfHost) {
  const ClientPtr host = *make_platform_client("Host", {});
  Coverage coverage;
  int refused = 0;  // programs without a StableHLO form
  for (unsigned seed = 0; seed < 60; ++seed) {
    const RandomProgram program = random_program(seed, 4 + static_cast<int>(seed % 13), coverage);
    const StatusOr<std::vector<Literal>> wanted = run(*host, program), got = run(*client_, program);
    if (got.status().to_string().ends_with("StableHLO has no such operation")) {
      ++refused;
      continue;
    }
    ASSERT_EQ(wanted.status().to_string(), got.status().to_string()) << "seed " << seed;
    if (!wanted.ok()) continue;
    for (size_t k = 0; k < wanted->size(); ++k) {
      EXPECT_TRUE(alike((*got)[k], (*wanted)[k]))
          << "seed " << seed << ", result " << k << "\n"
          << hlo::print_module(program.module) << "Host   " << (*wanted)[k].to_string(64) << "\nplugin "
          << (*got)[k].to_string(64);
    }
  }
  EXPECT_LT(refused, 12);
}

TEST_P(ByLoader, WhatIsDonatedIsGone) {
  const auto program = compiled(
      "HloModule f, input_output_alias={ {}: (0, {}, may-alias) }\nENTRY e {\n"
      "  a = f32[2,3] parameter(0)\n  ROOT n = f32[2,3] negate(a)\n}");
  const BufferPtr x = buffer(numbers());
  const BufferPtr arguments[] = {x};
  const uintptr_t before = address(x);
  BufferPtr result;
  ASSERT_TRUE(program->execute(arguments, {&result, 1}).ok());
  EXPECT_NE(address(result), before);
  EXPECT_EQ(literal_from_buffer(*x)->data<float>()[5], 6);
  const bool donated[] = {true};
  ASSERT_TRUE(program->execute(arguments, {&result, 1}, {.donated = donated}).ok());
  EXPECT_EQ(x->state(), BufferState::kDonated);
  EXPECT_EQ(literal_from_buffer(*result)->data<float>()[5], -6);
  EXPECT_EQ(program->execute(arguments, {&result, 1}).code(), StatusCode::kInvalidArgument);
}

TEST_P(ByLoader, ReplicasMeet) {
  const auto program = compiled(
      "HloModule sum\nadd {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT z = f32[] add(x, y)\n}\n"
      "ENTRY e {\n  a = f32[2,3] parameter(0)\n"
      "  ROOT r = f32[2,3] all-reduce(a), replica_groups={{0,1}}, to_apply=add\n}",
      2);
  const std::vector<std::vector<BufferPtr>> arguments = {{buffer(numbers(), 0)}, {buffer(numbers(), 1)}};
  for (int i = 0; i < 3; ++i) {
    const auto results = execute_replicas(*program, arguments);
    ASSERT_TRUE(results.ok()) << results.status().to_string();
    for (size_t k : {0u, 1u}) {
      EXPECT_EQ((*results)[k][0]->device(), client_->devices()[k]);
      EXPECT_EQ(literal_from_buffer(*(*results)[k][0])->data<float>()[5], 12);
    }
  }
}

TEST_P(ByLoader, ErrorsKeepTheirCodesAndTheUsersLines) {
  const std::string call =
      "HloModule f\nENTRY e {\n  a = f32[2] parameter(0)\n  ROOT t = f32[2] custom-call(a), "
      "custom_call_target=\"nobody_has_it\", metadata={source_file=\"train.cc\" source_line=41}\n}";
  const Status status = client_->compile(*hlo::parse_module(call), {}, nullptr).status();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_NE(status.message().find("(train.cc:41)"), std::string_view::npos) << status.to_string();
  static const Status once =
      register_custom_call("tests.always_fails", [](const CustomCallFrame&) { return data_loss("as it always does"); });
  ASSERT_TRUE(once.ok());
  const auto failing = compiled(
      "HloModule f\nENTRY e {\n  a = f32[2,3] parameter(0)\n"
      "  ROOT t = f32[2,3] custom-call(a), custom_call_target=\"tests.always_fails\"\n}");
  const BufferPtr arguments[] = {buffer(numbers())};
  BufferPtr result;
  const Status failed = failing->execute(arguments, {&result, 1});
  EXPECT_EQ(failed.code(), StatusCode::kDataLoss) << failed.to_string();
  EXPECT_NE(failed.message().find("as it always does"), std::string_view::npos) << failed.to_string();
}

TEST_P(ByLoader, ProgramsAreSavedAndLoaded) {
  const auto program =
      compiled("HloModule f\nENTRY e {\n  a = f32[2,3] parameter(0)\n  ROOT n = f32[2,3] negate(a)\n}");
  const StatusOr<std::string> bytes = program->serialize();
  ASSERT_TRUE(bytes.ok()) << bytes.status().to_string();
  const auto loaded = client_->load(*bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().to_string();
  const BufferPtr arguments[] = {buffer(numbers(), 1)};
  BufferPtr result;
  ASSERT_TRUE((*loaded)->execute(arguments, {&result, 1}).ok());
  EXPECT_EQ(literal_from_buffer(*result)->data<float>()[5], -6);
}

INSTANTIATE_TEST_SUITE_P(Forms, ByLoader,
                         testing::Values(plugins::ProgramFormat::kHlo, plugins::ProgramFormat::kStablehlo),
                         [](const auto& info) {
                           return std::string(info.param == plugins::ProgramFormat::kHlo ? "Hlo" : "Stablehlo");
                         });

}  // namespace
}  // namespace hilo::tests
