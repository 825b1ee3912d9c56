// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/debug_dumps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "hilo/base/files.h"
#include "hilo/base/log.h"
#include "hilo/client/compile.h"
#include "hilo/client/platforms.h"
#include "hilo/hlo/text/parser.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

hlo::Module module_named(const std::string& name) {
  hlo::Module module = *hlo::parse_module(
      "HloModule m\nENTRY main {\n  x = f32[4] parameter(0)\n  a = f32[4] negate(x)\n"
      "  b = f32[4] negate(a)\n  ROOT r = f32[4] exponential(b)\n}\n");
  module.name = name;
  return module;
}

class Dumps : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "hilo_dumps_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    set_log_sink([this](LogLevel, std::string_view text) { log_.emplace_back(text); });
  }
  void TearDown() override {
    set_log_sink({});
    fs::remove_all(folder_);
  }
  std::vector<std::string> files(const std::string& part) const {
    std::vector<std::string> names;
    if (fs::exists(folder_ + "/" + part)) {
      for (const auto& entry : fs::directory_iterator(folder_ + "/" + part)) names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  void compile(const CompileOptions& options, const std::string& name = "f") {
    const auto compiled = compile_observed(**backend_for_platform("Host"), module_named(name), options);
    EXPECT_TRUE(compiled.ok()) << compiled.status().to_string();
  }

  std::string folder_;
  std::vector<std::string> log_;
};

using Names = std::vector<std::string>;

TEST_F(Dumps, OptionsAreThoseOfTheFlags) {
  FlagValues flags{};
  flags.jax_dump_hlo_graph = "";
  flags.jax_dump_hlo_optimized = "a";
  flags.jax_replica_count = 1;
  const CompileOptions options = compile_options(flags);
  EXPECT_EQ(options.generate_hlo_graph, "");
  EXPECT_EQ(options.dump_optimized_hlo_proto_to, "a");
  EXPECT_FALSE(options.dump_unoptimized_hlo_proto_to);
  EXPECT_TRUE(wants_dumps(options));
  EXPECT_FALSE(wants_dumps(CompileOptions{}));
}

TEST_F(Dumps, EachKindHasItsFolderAndParses) {
  CompileOptions options;
  options.dump_unoptimized_hlo_proto_to = options.dump_optimized_hlo_proto_to = folder_;
  compile(options);
  EXPECT_EQ(files("hlo_unoptimized"), Names{"0000.f.unoptimized.hlo"});
  EXPECT_EQ(files("hlo_optimized"), Names{"0000.f.optimized.hlo"});
  EXPECT_EQ(files("hlo_per_pass"), Names{});
  const std::string before = *read_file(folder_ + "/hlo_unoptimized/0000.f.unoptimized.hlo");
  const std::string after = *read_file(folder_ + "/hlo_optimized/0000.f.optimized.hlo");
  EXPECT_NE(before.find("negate"), std::string::npos) << before;
  EXPECT_EQ(after.find("negate"), std::string::npos) << after;
  EXPECT_TRUE(hlo::parse_module(after).ok());
}

TEST_F(Dumps, OnlyPassesThatChangedSomethingLeaveFiles) {
  CompileOptions options;
  options.dump_per_pass_hlo_proto_to = folder_;
  const hlo::Module module = module_named("f");
  DebugDumps dumps(options, module);
  dumps.before("cse", module);
  dumps.after("cse", module, false, 1);
  dumps.after("simplify", module, true, 1);
  dumps.after("dce", module, true, 1);
  dumps.finish(module);
  EXPECT_EQ(files("hlo_per_pass"), (Names{"0000.f.simplify.hlo", "0001.f.dce.hlo"}));
}

TEST_F(Dumps, NumbersGoOnFromTheHighestInTheFolder) {
  ASSERT_TRUE(make_directories(folder_).ok());
  ASSERT_TRUE(write_file_atomic(folder_ + "/0041.other.hlo", "kept").ok());
  ASSERT_TRUE(write_file_atomic(folder_ + "/notes.txt", "kept").ok());
  EXPECT_EQ(*write_numbered(folder_, "f", "pass", "hlo", "x"), folder_ + "/0042.f.pass.hlo");
  EXPECT_EQ(*write_numbered(folder_, "f", "pass", "hlo", "y"), folder_ + "/0043.f.pass.hlo");
  EXPECT_EQ(*read_file(folder_ + "/0041.other.hlo"), "kept");
  EXPECT_EQ(files("").size(), 4u);  // no temporary file stays
}

TEST_F(Dumps, NamesStayInsideTheFolder) {
  const auto path = write_numbered(folder_, "../../etc/pass wd", "p/q", "hlo", "x");
  ASSERT_TRUE(path.ok()) << path.status().to_string();
  EXPECT_EQ(fs::path(*path).parent_path(), fs::path(folder_));
}

TEST_F(Dumps, FolderThatIsAFileWarnsOnceAndCompiles) {
  ASSERT_TRUE(write_file_atomic(folder_, "a file").ok());
  CompileOptions options;
  options.dump_unoptimized_hlo_proto_to = folder_;
  compile(options);
  compile(options);
  ASSERT_EQ(log_.size(), 1u);
  EXPECT_NE(log_[0].find("no dumps to " + folder_ + "/hlo_unoptimized: INVALID_ARGUMENT"), std::string::npos)
      << log_[0];
}

TEST_F(Dumps, GraphsAreDrawnOfModulesThatMatch) {
  CompileOptions options;
  options.dump_optimized_hlo_proto_to = folder_;
  options.generate_hlo_graph = "^train";
  compile(options, "test_step");
  EXPECT_EQ(files("hlo_graph"), Names{});
  compile(options, "train_step");
  EXPECT_EQ(files("hlo_graph"), (Names{"0000.train_step.unoptimized.dot", "0001.train_step.unoptimized.html",
                                       "0002.train_step.optimized.dot", "0003.train_step.optimized.html"}));
}

TEST_F(Dumps, BadRegularExpressionWarnsAndDrawsNothing) {
  CompileOptions options;
  options.dump_optimized_hlo_proto_to = folder_;
  options.generate_hlo_graph = "(";
  compile(options);
  ASSERT_EQ(log_.size(), 1u);
  EXPECT_NE(log_[0].find("jax_dump_hlo_graph: '(' is no regular expression"), std::string::npos) << log_[0];
  EXPECT_EQ(files("hlo_graph"), Names{});
}

TEST(CompileProgressLine, IsCutAndCleaned) {
  EXPECT_EQ(progress_line("f", "dce", 79), "compiling f: dce");
  EXPECT_EQ(progress_line("f\x1b[2J\n", "dce", 79), "compiling f?[2J?: dce");
  EXPECT_EQ(progress_line("abcdefghij", "dce", 16), "compiling abc...");
}

}  // namespace
}  // namespace hilo
