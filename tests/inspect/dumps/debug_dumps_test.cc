// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/dumps/debug_dumps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>
#include <vector>

#include "hilo/base/files.h"
#include "hilo/base/log.h"
#include "hilo/client/compile.h"
#include "hilo/client/compile_progress.h"
#include "hilo/client/inspection.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/text/parser.h"
#include "tests/support/clients.h"

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
    const auto compiled = compile_observed(*tests::cpu_client(), module_named(name), options);
    EXPECT_TRUE(compiled.ok()) << compiled.status().to_string();
  }

  std::string folder_;
  std::vector<std::string> log_;
};

using Names = std::vector<std::string>;

TEST_F(Dumps, AnyOptionOfADumpIsWanted) {
  CompileOptions options;
  EXPECT_FALSE(is_watched(options));
  options.generate_hlo_graph = "";
  EXPECT_TRUE(is_watched(options));
}

TEST_F(Dumps, EachKindHasItsFolderAndParses) {
  CompileOptions options;
  options.dump_unoptimized_hlo_proto_to = folder_ + "/hlo_unoptimized";
  options.dump_optimized_hlo_proto_to = folder_ + "/hlo_optimized";
  compile(options);
  EXPECT_EQ(files("hlo_unoptimized"), (Names{"0000.f.unoptimized.hlo", "0000.f.unoptimized.hlo.pb"}));
  EXPECT_EQ(files("hlo_optimized"), (Names{"0000.f.optimized.hlo", "0000.f.optimized.hlo.pb"}));
  EXPECT_EQ(files("hlo_per_pass"), Names{});
  const std::string before = *read_file(folder_ + "/hlo_unoptimized/0000.f.unoptimized.hlo");
  const std::string after = *read_file(folder_ + "/hlo_optimized/0000.f.optimized.hlo");
  EXPECT_NE(before.find("negate"), std::string::npos) << before;
  EXPECT_EQ(after.find("negate"), std::string::npos) << after;
  ASSERT_TRUE(hlo::parse_module(after).ok());
  const auto proto = hlo::from_proto(*read_file(folder_ + "/hlo_optimized/0000.f.optimized.hlo.pb"));
  ASSERT_TRUE(proto.ok()) << proto.status().to_string();
  EXPECT_EQ(proto->entry->fingerprint(), hlo::parse_module(after)->entry->fingerprint());
}

TEST_F(Dumps, TheModuleAsItCameInAndPassesThatChangedSomethingLeaveFiles) {
  CompileOptions options;
  options.dump_per_pass_hlo_proto_to = folder_ + "/hlo_per_pass";
  const hlo::Module module = module_named("f");
  DebugDumps dumps(options, module);
  dumps.before("cse", module);
  dumps.after("cse", module, false, 1);
  dumps.after("simplify", module, true, 1);
  dumps.after("dce", module, true, 1);
  dumps.finish(module);
  EXPECT_EQ(files("hlo_per_pass"), (Names{"0000.f.unoptimized.hlo", "0000.f.unoptimized.hlo.pb", "0001.f.simplify.hlo",
                                          "0001.f.simplify.hlo.pb", "0002.f.dce.hlo", "0002.f.dce.hlo.pb",
                                          "0003.f.index.html", "index.html"}));
}

TEST_F(Dumps, ACompilationWithoutAnyChangeLeavesTheModuleAndNoPage) {
  CompileOptions options;
  options.dump_per_pass_hlo_proto_to = folder_ + "/hlo_per_pass";
  const hlo::Module module = module_named("f");
  DebugDumps dumps(options, module);
  dumps.after("cse", module, false, 1);
  dumps.finish(module);
  EXPECT_EQ(files("hlo_per_pass"), (Names{"0000.f.unoptimized.hlo", "0000.f.unoptimized.hlo.pb"}));
  const auto kept = hlo::parse_module(*read_file(folder_ + "/hlo_per_pass/0000.f.unoptimized.hlo"));
  ASSERT_TRUE(kept.ok()) << kept.status().to_string();
  EXPECT_EQ(kept->entry->fingerprint(), module.entry->fingerprint());
}

TEST_F(Dumps, AProgramThatNoPassChangesIsTheOnlyFileOfItsFolder) {
  CompileOptions options;
  options.dump_per_pass_hlo_proto_to = folder_ + "/hlo_per_pass";
  const hlo::Module module = *hlo::parse_module(
      "HloModule still\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT r = f32[4] exponential(x)\n}\n");
  ASSERT_TRUE(compile_observed(*tests::cpu_client(), module, options).ok());
  EXPECT_EQ(files("hlo_per_pass"), (Names{"0000.still.unoptimized.hlo", "0000.still.unoptimized.hlo.pb"}));
}

TEST_F(Dumps, ThePictureOfTheOptimisedProgramShowsWhatTheEngineFused) {
  hlo::Module module = *hlo::parse_module(
      "HloModule m\n\nENTRY main {\n  x = f32[64] parameter(0)\n  a = f32[64] exponential(x)\n"
      "  ROOT b = f32[64] add(a, x)\n}\n");
  CompileOptions options;
  options.generate_hlo_graph = "";
  options.dump_optimized_hlo_proto_to = folder_ + "/hlo_optimized";
  ASSERT_TRUE(compile_observed(*tests::cpu_client(), module, options).ok());
  const std::string before = *read_file(folder_ + "/hlo_graph/0000.m.unoptimized.dot");
  const std::string after = *read_file(folder_ + "/hlo_graph/0001.m.optimized.dot");
  EXPECT_EQ(before.find("kernel"), std::string::npos) << before;
  EXPECT_NE(after.find("label=\"map kernel b\\n64 flop, 512 B, 64 transcendental\""), std::string::npos) << after;
  const std::string page = *read_file(folder_ + "/hlo_graph/0001.m.optimized.html");
  EXPECT_NE(page.find("1 fused region."), std::string::npos) << page;
}

TEST_F(Dumps, ThePageShowsWhatEachPassChanged) {
  CompileOptions options;
  options.dump_per_pass_hlo_proto_to = folder_ + "/hlo_per_pass";
  compile(options, "a<b");
  const std::string index = *read_file(folder_ + "/hlo_per_pass/index.html");
  const size_t link = index.find("<a href=\"");
  ASSERT_NE(link, std::string::npos) << index;
  const std::string name = index.substr(link + 9, index.find('"', link + 9) - link - 9);
  const std::string page = *read_file(folder_ + "/hlo_per_pass/" + name);
  EXPECT_NE(page.find("<h1>a&lt;b</h1>"), std::string::npos) << page;
  EXPECT_NE(page.find("<span class=\"r\">-  %a = f32[4]{0} negate(%x)</span>"), std::string::npos) << page;
  EXPECT_NE(page.find(". simplify: "), std::string::npos) << page;
  EXPECT_EQ(page.find("http"), std::string::npos) << page;
}

TEST_F(Dumps, FolderThatIsAFileWarnsOnceAndCompiles) {
  ASSERT_TRUE(write_file_atomic(folder_, "a file").ok());
  CompileOptions options;
  options.dump_unoptimized_hlo_proto_to = folder_;
  compile(options);
  compile(options);
  ASSERT_EQ(log_.size(), 1u);
  EXPECT_NE(log_[0].find("dumps to " + folder_ + " are off: INVALID_ARGUMENT"), std::string::npos) << log_[0];
}

TEST_F(Dumps, GraphsAreDrawnOfModulesThatMatch) {
  CompileOptions options;
  options.dump_optimized_hlo_proto_to = folder_ + "/hlo_optimized";
  options.generate_hlo_graph = "^train";
  compile(options, "test_step");
  EXPECT_EQ(files("hlo_graph"), Names{});
  compile(options, "train_step");
  EXPECT_EQ(files("hlo_graph"), (Names{"0000.train_step.unoptimized.dot", "0000.train_step.unoptimized.html",
                                       "0001.train_step.optimized.dot", "0001.train_step.optimized.html"}));
}

TEST_F(Dumps, BadRegularExpressionWarnsAndDrawsNothing) {
  CompileOptions options;
  options.dump_optimized_hlo_proto_to = folder_ + "/hlo_optimized";
  options.generate_hlo_graph = "(";
  compile(options);
  ASSERT_EQ(log_.size(), 1u);
  EXPECT_NE(log_[0].find("jax_dump_hlo_graph: '(' is no regular expression"), std::string::npos) << log_[0];
  EXPECT_EQ(files("hlo_graph"), Names{});
}

TEST_F(Dumps, ManyCompilationsInManyThreadsLeaveValidFiles) {
  constexpr size_t kThreads = 8;
  const char* const wanted = std::getenv("HILO_TEST_COMPILES");  // `make interop` compiles a thousand programs
  const size_t each = (wanted == nullptr ? 80 : std::strtoul(wanted, nullptr, 10)) / kThreads;
  CompileOptions options;
  options.dump_unoptimized_hlo_proto_to = folder_ + "/hlo_unoptimized";
  options.dump_optimized_hlo_proto_to = folder_ + "/hlo_optimized";
  options.dump_per_pass_hlo_proto_to = folder_ + "/hlo_per_pass";
  options.generate_hlo_graph = "";
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < each; ++i) compile(options, "f" + std::to_string(t));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(log_.empty());
  for (const char* part : {"hlo_unoptimized", "hlo_optimized", "hlo_per_pass"}) {
    std::map<std::string, int> by_number;
    for (const std::string& name : files(part)) {
      const std::string bytes = *read_file(folder_ + "/" + part + "/" + name);
      if (name.ends_with(".hlo")) EXPECT_TRUE(hlo::parse_module(bytes).ok()) << name;
      else if (name.ends_with(".pb")) EXPECT_TRUE(hlo::from_proto(bytes).ok()) << name;
      else EXPECT_TRUE(bytes.ends_with("</html>\n")) << name;
      ++by_number[name.substr(0, name.find('.'))];
    }
    const size_t stages = by_number.size() - (by_number.contains("index") ? 1 : 0);
    EXPECT_EQ(stages % (kThreads * each), 0u) << part;
    EXPECT_GE(stages, kThreads * each) << part;
    for (const auto& [number, count] : by_number) EXPECT_LE(count, 2) << part << " " << number;
  }
  EXPECT_EQ(files("hlo_graph").size(), 4 * kThreads * each);
}

TEST(CompileProgressLine, IsCutAndCleaned) {
  EXPECT_EQ(progress_line("f", "dce", 79), "compiling f: dce");
  EXPECT_EQ(progress_line("f\x1b[2J\n", "dce", 79), "compiling f?[2J?: dce");
  EXPECT_EQ(progress_line("abcdefghij", "dce", 16), "compiling abc...");
}

}  // namespace
}  // namespace hilo
