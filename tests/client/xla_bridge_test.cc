// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/xla_bridge.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "hilo/base/files.h"
#include "hilo/base/flag_table.h"
#include "hilo/base/log.h"
#include "hilo/client/local_computation.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/inspect/profile/profile.h"
#include "tests/support/clients.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

void set(std::string_view flag, std::string_view value) {
  const Status status = config().set(flag, value);
  ASSERT_TRUE(status.ok()) << status.to_string();
}

/// Clears clients and flags before and after each test, and collects warnings in a list.
class Bridge : public testing::Test {
 protected:
  void SetUp() override {
    forget();
    folder_ = testing::TempDir() + "hilo_bridge_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    set_log_sink([this](LogLevel level, std::string_view text) {
      if (level == LogLevel::kWarning) warnings_.emplace_back(text);
    });
  }
  void TearDown() override {
    set_log_sink({});
    fs::remove_all(folder_);
    forget();
  }
  static void forget() {
    for (const FlagInfo& flag : kFlags) ::unsetenv(environment_name(flag).c_str());
    reset_flags();
    clear_backends();
  }

  std::string folder_;
  std::vector<std::string> warnings_;
};

TEST_F(Bridge, TheClientIsMadeOnceFromTheFlags) {
  set("jax_platform_name", "Host");
  set("jax_replica_count", "3");
  const StatusOr<XlaClientPtr> client = get_xla_client();
  ASSERT_TRUE(client.ok()) << client.status().to_string();
  EXPECT_EQ((*client)->options().backend, "xla");
  EXPECT_EQ((*client)->platform_name(), "Host");
  EXPECT_EQ((*client)->device_count(), 3);
  EXPECT_EQ(*get_xla_client(), *client);
}

TEST_F(Bridge, ThreadsGetOneClient) {
  set("jax_platform_name", "Host");
  std::vector<XlaClientPtr> clients(4);
  std::vector<std::thread> threads;
  for (XlaClientPtr& client : clients) threads.emplace_back([&client] { client = *get_xla_client(); });
  for (std::thread& thread : threads) thread.join();
  for (const XlaClientPtr& client : clients) EXPECT_EQ(client, clients[0]);
}

TEST_F(Bridge, FlagsAreReadAtTheFirstUseOfTheClient) {
  ::setenv("JAX_PLATFORM_NAME", "Reference", 1);  // after the library was loaded
  EXPECT_EQ((*get_xla_client())->platform_name(), "Reference");
  set("jax_platform_name", "Host");  // has no effect on this client
  EXPECT_EQ((*get_xla_client())->platform_name(), "Reference");
  clear_backends();
  EXPECT_EQ((*get_xla_client())->platform_name(), "Host");
}

TEST_F(Bridge, ABadVariableIsTheErrorOfTheFirstUse) {
  ::setenv("JAX_REPLICA_COUNT", "many", 1);
  const Status status = get_xla_client().status();
  EXPECT_EQ(status.to_string(),
            "INVALID_ARGUMENT: JAX_REPLICA_COUNT: value does not fit; got 'many'; wanted an integer >= 1.");
  ::setenv("JAX_REPLICA_COUNT", "1", 1);
  reset_flags();
  EXPECT_TRUE(get_xla_client().ok());  // a failed call caches nothing
}

TEST_F(Bridge, ANamedPlatformIsTakenWithoutFallbackOrWarning) {
  EXPECT_EQ((*make_xla_client("xla", "Reference", 1))->platform_name(), "Reference");
  EXPECT_EQ(platform_name(), "Reference");
  EXPECT_EQ(warnings_, std::vector<std::string>{});
}

TEST_F(Bridge, ThePlatformThatJaxCallsCpuIsHost) {
  EXPECT_EQ((*make_xla_client("xla", "cpu", 1))->platform_name(), "Host");
  EXPECT_EQ(platform_name(), "Host");
}

TEST_F(Bridge, TheErrorOfANamedPlatformComesOut) {
  const Status status = make_xla_client("xla", "Abacus", 1).status();
  EXPECT_EQ(status.to_string(), "NOT_FOUND: platform 'Abacus' is unknown; known: Host, CUDA, Reference.");
  EXPECT_EQ(platform_name(), "");
  EXPECT_EQ(warnings_, std::vector<std::string>{});
}

TEST_F(Bridge, ANamedPlatformWithoutDevicesIsAnError) {
  const Status status = make_xla_client("xla", "CUDA", 1).status();
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("platform 'CUDA'"), std::string::npos) << status.to_string();
  EXPECT_EQ(platform_name(), "");
  EXPECT_EQ(warnings_, std::vector<std::string>{});
}

// The warning occurs once per process, so this test starts a separate process.
TEST_F(Bridge, AnUnnamedPlatformWarnsOnceAndTakesHost) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fall_back_three_times = [] {
    int warned = 0;
    set_log_sink([&](LogLevel, std::string_view text) { warned += text == "No GPU found, falling back to CPU."; });
    for (int i = 0; i < 3; ++i) {
      clear_backends();
      if (!make_xla_client("xla", "", 1).ok() || platform_name() != "Host") std::exit(100);
    }
    std::exit(warned);
  };
  EXPECT_EXIT(fall_back_three_times(), testing::ExitedWithCode(1), "");
}

TEST_F(Bridge, TheReplicaCountIsInitialisedBeforeThePlatform) {
  EXPECT_EQ(make_xla_client("xla", "Abacus", 0).status().to_string(),
            "INVALID_ARGUMENT: initialize_replica_count: got 0; wanted a number from 1 to 65536.");
  EXPECT_EQ(make_xla_client("xla", "Abacus", 2).status().code(), StatusCode::kNotFound);
}

TEST_F(Bridge, XrtInitialisesTheReplicasAndLeavesThePlatformAsItWas) {
  StatusOr<XlaClientPtr> client = make_xla_client("xrt", "Abacus", 2);  // the name is ignored
  ASSERT_TRUE(client.ok()) << client.status().to_string();
  EXPECT_EQ((*client)->options().backend, "xrt");
  EXPECT_EQ((*client)->options().replica_count, 2);
  EXPECT_EQ(platform_name(), "");
  clear_backends();
  ASSERT_TRUE(choose_platform("Reference").ok());
  ASSERT_TRUE(make_xla_client("xrt", "", 1).ok());
  EXPECT_EQ(platform_name(), "Reference");
  EXPECT_EQ(warnings_, std::vector<std::string>{});
}

TEST_F(Bridge, InitialisingThePlatformAfterAClientExistsNamesOldAndNew) {
  ASSERT_TRUE(make_xla_client("xla", "Host", 1).ok());
  EXPECT_EQ(
      choose_platform("Reference").to_string(),
      "FAILED_PRECONDITION: initialize_platform_name: a client already exists, created with 'Host'; got 'Reference'. "
      "Hint: call it before the first operation");
  EXPECT_EQ(platform_name(), "Host");
}

TEST_F(Bridge, InitialisingTheReplicasAfterAClientExistsNamesOldAndNew) {
  ASSERT_TRUE(make_xla_client("xla", "Host", 2).ok());
  EXPECT_EQ(choose_replica_count(4).to_string(),
            "FAILED_PRECONDITION: initialize_replica_count: a client already exists, created with 2; got 4. "
            "Hint: call it before the first operation");
  EXPECT_EQ(make_xla_client("xla", "Host", 4).status().code(), StatusCode::kFailedPrecondition);
}

TEST_F(Bridge, AReplicaCountBelowOneIsRefused) {
  for (const int64_t count : {int64_t{0}, int64_t{-1}, INT64_MIN}) {
    EXPECT_EQ(choose_replica_count(count).code(), StatusCode::kInvalidArgument) << count;
  }
}

TEST_F(Bridge, EachReplicaIsADevice) {
  const XlaClientPtr client = *make_xla_client("xla", "Host", 4);
  ASSERT_EQ(client->devices().size(), 4u);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(client->devices()[static_cast<size_t>(i)]->id(), i);
    EXPECT_EQ(client->devices()[static_cast<size_t>(i)]->platform_name(), "Host");
  }
}

TEST_F(Bridge, AnUnknownBackendIsRefused) {
  EXPECT_EQ(make_xla_client("tpu", "", 1).status().to_string(),
            "INVALID_ARGUMENT: backend: got 'tpu'; wanted xla or xrt.");
}

TEST_F(Bridge, TheBackendIsThatOfTheFlags) {
  EXPECT_EQ(*get_backend(), (BackendTarget{"xla", "local"}));
  clear_backends();
  set("jax_xla_backend", "xrt");
  set("jax_backend_target", "rpc:far:8470");
  EXPECT_EQ(*get_backend(), (BackendTarget{"xrt", "rpc:far:8470"}));
  set("jax_backend_target", "local");  // cached
  EXPECT_EQ(get_backend()->target, "rpc:far:8470");
}

TEST_F(Bridge, ATargetThatIsNoneOrThatXlaCannotReachIsRefused) {
  set("jax_backend_target", "far:8470");
  EXPECT_EQ(get_backend().status().to_string(),
            "INVALID_ARGUMENT: jax_backend_target: value does not fit; got 'far:8470'; wanted local or rpc:address.");
  set("jax_backend_target", "rpc:far:8470");
  EXPECT_EQ(get_backend().status().code(), StatusCode::kInvalidArgument);
}

TEST_F(Bridge, CompileOptionsAreUnsetUntilAskedFor) {
  const CompileOptions options;
  EXPECT_FALSE(options.generate_hlo_graph || options.dump_unoptimized_hlo_proto_to ||
               options.dump_optimized_hlo_proto_to || options.dump_per_pass_hlo_proto_to || options.result_shape);
  EXPECT_FALSE(options.hlo_profile);
}

TEST_F(Bridge, CompileOptionsAreComparedAndPrinted) {
  CompileOptions options;
  EXPECT_EQ(options, CompileOptions{});
  options.generate_hlo_graph = "";
  EXPECT_NE(options, CompileOptions{});
  options.result_shape = Shape::array(ElementType::kF32, {2, 3}).with_layout(std::vector<int64_t>{0, 1});
  EXPECT_EQ(options.to_string(),
            "{generate_hlo_graph: \"\", dump_unoptimized_hlo_proto_to: unset, dump_optimized_hlo_proto_to: unset, "
            "dump_per_pass_hlo_proto_to: unset, hlo_profile: false, straight_lines: true, result_shape: "
            "f32[2,3]{0,1}, replica_count: 1, "
            "device_assignment: unset, limits: "
            "{instructions: 1048576, compile_seconds: 0, memory_bytes: 0, run_seconds: 0}, effort: "
            "{effort: default, budget: 0, tiers: true}}");
}

TEST_F(Bridge, FlagsSetTheEffort) {
  set("hilo_effort", "fastest");
  set("hilo_budget_milliseconds", "250");
  set("hilo_tiers", "false");
  const CompileEffort effort = (*get_compile_options())->effort;
  EXPECT_EQ(effort.effort, Effort::kFastest);
  EXPECT_EQ(effort.budget, 0.25);
  EXPECT_FALSE(effort.tiers);
}

TEST_F(Bridge, NoFlagAskingMeansNoCompileOptions) { EXPECT_EQ(*get_compile_options(), std::nullopt); }

TEST_F(Bridge, AnEmptyGraphExpressionAsksForAllGraphs) {
  set("jax_dump_hlo_graph", "");
  ASSERT_TRUE(get_compile_options()->has_value());
  EXPECT_EQ((*get_compile_options())->generate_hlo_graph, "");
}

TEST_F(Bridge, AnEmptyDumpPathIsUnset) {
  for (const char* flag : {"jax_dump_hlo_unoptimized", "jax_dump_hlo_optimized", "jax_dump_hlo_per_pass"})
    set(flag, "");
  EXPECT_EQ(*get_compile_options(), std::nullopt);
}

TEST_F(Bridge, EachFlagSetsItsOption) {
  set("jax_hlo_profile", "true");
  set("jax_dump_hlo_unoptimized", folder_ + "/u");
  set("jax_dump_hlo_optimized", folder_ + "/o");
  set("jax_dump_hlo_per_pass", folder_ + "/p");
  const CompileOptions options = **get_compile_options();
  EXPECT_TRUE(options.hlo_profile);
  EXPECT_EQ(options.generate_hlo_graph, std::nullopt);
  EXPECT_EQ(options.dump_unoptimized_hlo_proto_to, folder_ + "/u/hlo_unoptimized");
  EXPECT_EQ(options.dump_optimized_hlo_proto_to, folder_ + "/o/hlo_optimized");
  EXPECT_EQ(options.dump_per_pass_hlo_proto_to, folder_ + "/p/hlo_per_pass");
  EXPECT_EQ(options.result_shape, std::nullopt);
}

TEST_F(Bridge, FlagsSetTheLimits) {
  set("hilo_max_instructions", "7");
  set("hilo_max_memory", "1024");
  set("hilo_compile_seconds", "3");
  set("hilo_run_seconds", "4");
  const CompileLimits limits = (**get_compile_options()).limits;
  EXPECT_EQ(limits.instructions, 7);
  EXPECT_EQ(limits.memory_bytes, 1024);
  EXPECT_EQ(limits.compile_seconds, 3);
  EXPECT_EQ(limits.run_seconds, 4);
}

TEST_F(Bridge, CompileOptionsAreAFreshObjectEachCall) {
  set("jax_dump_hlo_graph", "f");
  StatusOr<std::optional<CompileOptions>> first = get_compile_options();
  (*first)->result_shape = Shape::scalar(ElementType::kF32);
  EXPECT_EQ((*get_compile_options())->result_shape, std::nullopt);
}

TEST_F(Bridge, HloPathMakesTheFolderAndItsParents) {
  EXPECT_EQ(*hlo_path(folder_ + "/a/b", "hlo_optimized"), folder_ + "/a/b/hlo_optimized");
  EXPECT_TRUE(fs::is_directory(folder_ + "/a/b/hlo_optimized"));
}

TEST_F(Bridge, HloPathKeepsAFolderThatIsThere) {
  ASSERT_TRUE(make_directories(folder_ + "/hlo_per_pass").ok());
  ASSERT_TRUE(write_file_atomic(folder_ + "/hlo_per_pass/mine", "kept").ok());
  EXPECT_TRUE(hlo_path(folder_, "hlo_per_pass").ok());
  EXPECT_EQ(*read_file(folder_ + "/hlo_per_pass/mine"), "kept");
}

TEST_F(Bridge, HloPathRefusesOtherNames) {
  EXPECT_EQ(hlo_path(folder_, "../x").status().code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(Bridge, AFolderThatCannotBeMadeWarnsOnceAndTheProgramRunsWithoutDumping) {
  ASSERT_TRUE(write_file_atomic(folder_, "a file").ok());
  set("jax_dump_hlo_optimized", folder_);
  set("jax_platform_name", "Host");
  EXPECT_EQ((*get_compile_options())->dump_optimized_hlo_proto_to, std::nullopt);
  EXPECT_TRUE(get_compile_options().ok());
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("dumps to " + folder_ + "/hlo_optimized are off: INVALID_ARGUMENT"), std::string::npos)
      << warnings_[0];
  const auto compiled =
      compile_under_flags(*hlo::parse_module("HloModule m\nENTRY e {\n  ROOT x = f32[] parameter(0)\n}\n"));
  EXPECT_TRUE(compiled.ok()) << compiled.status().to_string();
}

TEST_F(Bridge, TypesOf64BitsAre32BitOnesUnlessX64) {
  const Shape wide = Shape::tuple({Shape::array(ElementType::kF64, {2}), Shape::scalar(ElementType::kS64),
                                   Shape::scalar(ElementType::kU64), Shape::scalar(ElementType::kC128),
                                   Shape::scalar(ElementType::kS8)});
  EXPECT_EQ(canonical_shape(wide)->to_string(), "(f32[2], s32[], u32[], c64[], s8[])");
  set("jax_enable_x64", "true");
  EXPECT_EQ(*canonical_shape(wide), wide);
}

TEST_F(Bridge, AProfileIsKeptOfWhatIsCompiledWhenTheFlagAsks) {
  const hlo::Module module =
      *hlo::parse_module("HloModule asked\nENTRY e {\n  x = f32[] parameter(0)\n  ROOT y = f32[] negate(x)\n}\n");
  set("jax_platform_name", "Host");
  clear_profiles();
  ASSERT_TRUE(compile_under_flags(module).ok());
  EXPECT_EQ(profiles().size(), 0u);
  set("jax_hlo_profile", "true");
  // differs from the program compiled without flags
  const StatusOr<LocalComputation> compiled = compile_under_flags(module);
  ASSERT_TRUE(compiled.ok()) << compiled.status().to_string();
  ASSERT_TRUE(compiled->execute(std::vector{tests::default_buffer(Literal::scalar(1.0f))}).ok());
  ASSERT_EQ(profiles().size(), 1u);
  EXPECT_EQ(profiles()[0].module, "asked");
  EXPECT_EQ(profiles()[0].runs, 1);
  clear_profiles();
}

}  // namespace
}  // namespace hilo
