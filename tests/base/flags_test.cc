// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/flags.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

#include "hilo/base/flag_table.h"

namespace hilo {
namespace {

// Clears all flags before and after each test.
class Flags : public ::testing::Test {
 protected:
  Flags() { forget(); }
  ~Flags() override { forget(); }

  static void forget() {
    for (const FlagInfo& flag : kFlags) {
      ::unsetenv(environment_name(flag).c_str());
      ::unsetenv(std::string(flag.own_variable).c_str());
    }
    reset_flags();
  }
  static void set_environment(const char* name, const char* value) {
    ::setenv(name, value, 1);
    reset_flags();
  }
  static FlagValues now() {
    StatusOr<std::shared_ptr<const FlagValues>> values = flags();
    EXPECT_TRUE(values.ok()) << values.status().to_string();
    return values.ok() ? **values : FlagValues{};
  }
};

TEST_F(Flags, HaveTheirDefaults) {
  const FlagValues values = now();
  EXPECT_FALSE(values.jax_enable_x64);
  EXPECT_EQ(values.jax_dump_hlo_graph, std::nullopt);
  EXPECT_FALSE(values.jax_hlo_profile);
  EXPECT_EQ(values.jax_dump_hlo_unoptimized, std::nullopt);
  EXPECT_EQ(values.jax_dump_hlo_optimized, std::nullopt);
  EXPECT_EQ(values.jax_dump_hlo_per_pass, std::nullopt);
  EXPECT_EQ(values.jax_replica_count, 1);
  EXPECT_EQ(values.jax_xla_backend, "xla");
  EXPECT_EQ(values.jax_backend_target, "local");
  EXPECT_EQ(values.jax_platform_name, "");
  EXPECT_EQ(values.hilo_max_instructions, 1 << 20);
  EXPECT_EQ(values.hilo_max_memory, 0);
  EXPECT_EQ(values.hilo_compile_seconds, 0);
  EXPECT_EQ(values.hilo_effort, "default");
  EXPECT_EQ(values.hilo_budget_milliseconds, 0);
  EXPECT_TRUE(values.hilo_tiers);
  EXPECT_EQ(values.hilo_run_seconds, 0);
  EXPECT_EQ(values.hilo_cache_bytes, int64_t{1} << 30);
}

TEST_F(Flags, HelpTextsAreThoseOfEarlyJax) {
  const std::vector<std::string_view> wanted = {
      "Enable 64-bit types to be used.",
      "Regexp of HLO graphs to dump.",
      "Enables HLO profiling mode.",
      "Dirpath for unoptimized HLO dump.",
      "Dirpath for optimized HLO dump.",
      "Dirpath for per-pass HLO dump.",
      "Replica count for computations.",
      "Either \"xla\" for the XLA service directly, or \"xrt\" for an XRT backend.",
      "Either \"local\" or \"rpc:address\" to connect to a remote service target.",
      "Platform name for XLA. The default is to attempt to use a GPU if available, but fall back to CPU "
      "otherwise. "
      "To set the platform manually, pass \"Host\" for CPU or \"CUDA\" for GPU."};
  ASSERT_LE(wanted.size(), kFlags.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(kFlags[i].help, wanted[i]);
}

TEST_F(Flags, CodeOutranksCommandLineOutranksEnvironmentOutranksDefault) {
  EXPECT_EQ(now().jax_platform_name, "");
  set_environment("JAX_PLATFORM_NAME", "from_environment");
  EXPECT_EQ(now().jax_platform_name, "from_environment");
  ASSERT_TRUE(set_from_command_line("--jax_platform_name", "from_line").ok());
  EXPECT_EQ(now().jax_platform_name, "from_line");
  ASSERT_TRUE(config().set("jax_platform_name", "from_code").ok());
  EXPECT_EQ(now().jax_platform_name, "from_code");
  ASSERT_TRUE(set_from_command_line("jax_platform_name", "late_line").ok());
  EXPECT_EQ(now().jax_platform_name, "from_code");
  ASSERT_TRUE(config().unset("jax_platform_name").ok());
  EXPECT_EQ(now().jax_platform_name, "late_line");
}

TEST_F(Flags, AVariableOfHilosOwnOutranksTheOneThatJaxReadsToo) {
  set_environment("JAX_PLATFORM_NAME", "cpu");
  set_environment("HILO_PLATFORM", "Host");
  EXPECT_EQ(now().jax_platform_name, "Host");
  ::unsetenv("HILO_PLATFORM");
  reset_flags();
  EXPECT_EQ(now().jax_platform_name, "cpu");
}

TEST_F(Flags, EveryFlagIsReadFromTheEnvironment) {
  for (const FlagInfo& flag : kFlags) {
    const char* text = flag.is_bool()      ? "on"
                       : flag.is_integer() ? "8"
                       : flag.is_enum()    ? flag.choices.back().data()
                                           : "text";
    ::setenv(environment_name(flag).c_str(), text, 1);
  }
  reset_flags();
  const FlagValues values = now();
  EXPECT_TRUE(values.jax_enable_x64);
  EXPECT_EQ(values.jax_dump_hlo_graph, "text");
  EXPECT_TRUE(values.jax_hlo_profile);
  EXPECT_EQ(values.jax_dump_hlo_unoptimized, "text");
  EXPECT_EQ(values.jax_dump_hlo_optimized, "text");
  EXPECT_EQ(values.jax_dump_hlo_per_pass, "text");
  EXPECT_EQ(values.jax_replica_count, 8);
  EXPECT_EQ(values.jax_xla_backend, "xrt");
  EXPECT_EQ(values.jax_backend_target, "text");
  EXPECT_EQ(values.jax_platform_name, "text");
  EXPECT_EQ(values.hilo_cache_bytes, 8);
}

TEST_F(Flags, EnvironmentIsReadOnceUntilReset) {
  EXPECT_FALSE(now().jax_hlo_profile);
  ::setenv("JAX_HLO_PROFILE", "1", 1);
  EXPECT_FALSE(now().jax_hlo_profile);
  reset_flags();
  EXPECT_TRUE(now().jax_hlo_profile);
}

TEST_F(Flags, EmptyTextIsAValueOfAnOptionalFlag) {
  set_environment("JAX_DUMP_HLO_GRAPH", "");
  EXPECT_EQ(now().jax_dump_hlo_graph, "");
  reset_flags();
  ::unsetenv("JAX_DUMP_HLO_GRAPH");
  reset_flags();
  ASSERT_TRUE(set_from_command_line("jax_dump_hlo_graph", "").ok());
  EXPECT_EQ(now().jax_dump_hlo_graph, "");
}

TEST_F(Flags, BooleansTakeTwelveWordsInAnyCase) {
  for (const char* text : {"y", "yes", "t", "true", "on", "1", "YES", "True", "oN"}) {
    ASSERT_TRUE(set_from_command_line("jax_enable_x64", text).ok()) << text;
    EXPECT_TRUE(now().jax_enable_x64) << text;
  }
  for (const char* text : {"n", "no", "f", "false", "off", "0", "NO", "False", "oFF"}) {
    ASSERT_TRUE(set_from_command_line("jax_enable_x64", text).ok()) << text;
    EXPECT_FALSE(now().jax_enable_x64) << text;
  }
}

TEST_F(Flags, BooleansNeedNoValueOnTheCommandLine) {
  ASSERT_TRUE(set_from_command_line("--jax_hlo_profile", std::nullopt).ok());
  EXPECT_TRUE(now().jax_hlo_profile);
  ASSERT_TRUE(set_from_command_line("--nojax_hlo_profile", std::nullopt).ok());
  EXPECT_FALSE(now().jax_hlo_profile);
}

TEST_F(Flags, BadBooleanInTheEnvironmentNamesTheVariable) {
  for (const char* text : {"maybe", "", "2", " true"}) {
    set_environment("JAX_ENABLE_X64", text);
    const Status status = flags().status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), std::string("JAX_ENABLE_X64: value does not fit; got '") + text +
                                    "'; wanted true or false. Hint: y, yes, t, true, on, 1 or n, no, f, false, off, 0");
    EXPECT_EQ(x64_enabled().status().message(), status.message());
  }
}

TEST_F(Flags, BadEnvironmentIsNoErrorBecauseSomethingOutranksIt) {
  set_environment("JAX_ENABLE_X64", "maybe");
  ASSERT_FALSE(flags().ok());
  ASSERT_TRUE(config().set("jax_enable_x64", true).ok());
  EXPECT_TRUE(now().jax_enable_x64);
}

TEST_F(Flags, BadValueOnTheCommandLineNamesTheFlagAndChangesNothing) {
  const Status status = set_from_command_line("--jax_xla_backend", "xlaa");
  EXPECT_EQ(status.to_string(),
            "INVALID_ARGUMENT: --jax_xla_backend: value does not fit; got 'xlaa'; wanted xla or xrt. Hint: "
            "did you mean "
            "'xla'?");
  EXPECT_EQ(now().jax_xla_backend, "xla");
}

TEST_F(Flags, BadIntegersAreRefused) {
  for (const char* text : {"", "one", "1.5", "99999999999999999999", "0", "-1"}) {
    EXPECT_EQ(set_from_command_line("jax_replica_count", text).to_string(),
              std::string("INVALID_ARGUMENT: --jax_replica_count: value does not fit; got '") + text +
                  "'; wanted an integer >= 1.");
  }
  EXPECT_EQ(config().set("jax_replica_count", 0).to_string(),
            "INVALID_ARGUMENT: jax_replica_count: value does not fit; got '0'; wanted an integer >= 1.");
}

TEST_F(Flags, MissingValueIsRefused) {
  EXPECT_EQ(set_from_command_line("--jax_replica_count", std::nullopt).to_string(),
            "INVALID_ARGUMENT: --jax_replica_count: value missing; wanted an integer >= 1.");
}

TEST_F(Flags, UnknownFlagGetsTheNearestName) {
  EXPECT_EQ(set_from_command_line("--jax_enable_x46", "1").to_string(),
            "INVALID_ARGUMENT: '--jax_enable_x46': unknown flag. Hint: did you mean 'jax_enable_x64'?");
  EXPECT_EQ(config().set("jax_platform", "Host").to_string(),
            "INVALID_ARGUMENT: 'jax_platform': unknown flag. Hint: did you mean 'jax_platform_name'?");
  EXPECT_EQ(config().unset("zzz").to_string(), "INVALID_ARGUMENT: 'zzz': unknown flag.");
  EXPECT_EQ(config().set("zzz", true).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(config().set("zzz", 1).code(), StatusCode::kInvalidArgument);
}

TEST_F(Flags, ConfigRefusesAValueOfAnotherKind) {
  EXPECT_EQ(config().set("jax_platform_name", true).to_string(),
            "INVALID_ARGUMENT: jax_platform_name: value of another type; got true; wanted text.");
  EXPECT_EQ(config().set("jax_enable_x64", 1).to_string(),
            "INVALID_ARGUMENT: jax_enable_x64: value of another type; got 1; wanted true or false.");
}

TEST_F(Flags, VersionMovesWithEveryChange) {
  const uint64_t before = flags_version();
  ASSERT_TRUE(config().set("jax_replica_count", 2).ok());
  EXPECT_GT(flags_version(), before);
}

TEST_F(Flags, SnapshotStaysAsItWas) {
  const std::shared_ptr<const FlagValues> old = *flags();
  ASSERT_TRUE(config().set("jax_replica_count", 2).ok());
  EXPECT_EQ(old->jax_replica_count, 1);
  EXPECT_EQ(now().jax_replica_count, 2);
}

TEST_F(Flags, X64FollowsEveryChange) {
  EXPECT_FALSE(*x64_enabled());
  ASSERT_TRUE(config().set("jax_enable_x64", true).ok());
  EXPECT_TRUE(*x64_enabled());
  ASSERT_TRUE(config().unset("jax_enable_x64").ok());
  EXPECT_FALSE(*x64_enabled());
}

TEST_F(Flags, MayBeReadAndSetFromManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 1; i <= 500; ++i) {
        const Status set = t == 0 ? config().set("jax_replica_count", i) : ok_status();
        EXPECT_TRUE(set.ok());
        EXPECT_GE((*flags())->jax_replica_count, 1);
        EXPECT_FALSE(*x64_enabled());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(now().jax_replica_count, 500);
}

TEST_F(Flags, HelpAndMarkdownNameEveryFlag) {
  const std::string help = flags_help();
  const std::string markdown = flags_markdown();
  for (const FlagInfo& flag : kFlags) {
    EXPECT_NE(help.find("--" + std::string(flag.name) + " ("), std::string::npos);
    EXPECT_NE(markdown.find("| `--" + std::string(flag.name) + "` | `" + environment_name(flag) + "`"),
              std::string::npos);
    EXPECT_NE(markdown.find(std::string(flag.help) + " |\n"), std::string::npos);
  }
  for (const EnvironmentVariable& variable : kEnvironmentVariables) {
    EXPECT_NE(markdown.find("| `" + std::string(variable.name) + "` |"), std::string::npos);
  }
}

TEST_F(Flags, HelpIsAtMostAHundredColumnsWide) {
  const std::string help = flags_help();
  for (size_t begin = 0; begin < help.size();) {
    const size_t end = help.find('\n', begin);
    EXPECT_LE(end - begin, 100u) << help.substr(begin, end - begin);
    begin = end + 1;
  }
  EXPECT_NE(help.find("  --jax_replica_count (an integer >= 1; default: 1)\n      Replica count for computations.\n"),
            std::string::npos);
}

}  // namespace
}  // namespace hilo
