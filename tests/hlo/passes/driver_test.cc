// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hilo/hlo/passes/driver.h"

#include <gtest/gtest.h>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/passes/passes.h"

namespace hilo::hlo {
namespace {

const Shape kVector = Shape::array(ElementType::kF32, {4});

Module module_with_dead_code() {
  Builder b("main");
  const InstructionId x = b.parameter(kVector, "x");
  (void)*b.add(Opcode::kNegate, {x});
  Module module;
  module.entry = *std::move(b).build(*b.add(Opcode::kExp, {x}));
  return module;
}

class Recorder : public PassObserver {
 public:
  void before(std::string_view pass, const Module&) override { log.push_back("before " + std::string(pass)); }
  void after(std::string_view pass, const Module& module, bool changed, double milliseconds) override {
    EXPECT_GE(milliseconds, 0.0);
    log.push_back("after " + std::string(pass) + (changed ? " changed " : " same ") +
                  std::to_string(module.entry->size()));
  }
  std::vector<std::string> log;
};

TEST(Driver, TellsTheObserverOfEveryPass) {
  Module module = module_with_dead_code();
  Recorder recorder;
  const std::vector<PassEntry> passes = *parse_pass_list("dce, cse");
  const auto changed = run_passes(module, passes, {.observer = &recorder, .verify = true});
  ASSERT_TRUE(changed.ok()) << changed.status().to_string();
  EXPECT_TRUE(*changed);
  EXPECT_EQ(recorder.log,
            (std::vector<std::string>{"before dce", "after dce changed 2", "before cse", "after cse same 2"}));
}

TEST(Driver, SaysWhichPassFailed) {
  Module module = module_with_dead_code();
  const PassEntry broken{"broken", [](Module&) -> StatusOr<bool> { return unimplemented("not for this"); }};
  const auto changed = run_passes(module, {&broken, 1});
  ASSERT_FALSE(changed.ok());
  EXPECT_EQ(changed.status().to_string(), "UNIMPLEMENTED: pass 'broken': not for this");
}

TEST(Driver, FindsAPassThatLeavesAnInvalidModule) {
  Module module = module_with_dead_code();
  const PassEntry broken{"broken", [](Module& m) -> StatusOr<bool> {
                           ComputationDraft draft("main");
                           const InstructionId x = draft.append_copy(m.entry->parameter(0), {});
                           const InstructionId y = draft.append(Opcode::kExp, Shape::array(ElementType::kF32, {5}),
                                                                std::span(&x, 1), nullptr, "y");
                           m.entry = *std::move(draft).finish(y);
                           return true;
                         }};
  const auto changed = run_passes(module, {&broken, 1}, {.verify = true});
  ASSERT_FALSE(changed.ok());
  EXPECT_EQ(changed.status().code(), StatusCode::kInternal);
  EXPECT_NE(changed.status().to_string().find("pass 'broken' left an invalid module"), std::string::npos)
      << changed.status().to_string();
  EXPECT_NE(changed.status().to_string().find("'y'"), std::string::npos) << changed.status().to_string();
}

TEST(PassList, NamesEveryPassOnceAndThePipelineUsesOnlyThose) {
  std::vector<std::string_view> names;
  for (const PassEntry& pass : all_passes()) {
    EXPECT_EQ(std::count(names.begin(), names.end(), pass.name), 0) << pass.name;
    names.push_back(pass.name);
  }
  for (const PassEntry& pass : default_pipeline()) EXPECT_TRUE(find_pass(pass.name).ok()) << pass.name;
}

TEST(PassList, OffersTheNearestNameOfAnUnknownPass) {
  const auto pass = find_pass("simplfy");
  ASSERT_FALSE(pass.ok());
  EXPECT_EQ(pass.status().code(), StatusCode::kNotFound);
  const std::string text = pass.status().to_string();
  EXPECT_NE(text.find("pass 'simplfy' doesn't exist; wanted one of normalize_layouts, "), std::string::npos) << text;
  EXPECT_NE(text.find("did you mean 'simplify'?"), std::string::npos) << text;
}

TEST(PassList, RefusesAListWithAnUnknownName) {
  EXPECT_EQ(parse_pass_list("dce,x").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(parse_pass_list("")->size(), 0u);
  EXPECT_EQ(parse_pass_list("dce")->size(), 1u);
}

}  // namespace
}  // namespace hilo::hlo
