// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/compile.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hilo/client/platform_name.h"
#include "hilo/hlo/text/parser.h"

namespace hilo {
namespace {

std::shared_ptr<Executable> compiled(std::string_view header) {
  const auto module = hlo::parse_module(fmt::format(
      "HloModule cached{}\n\nENTRY main {{\n  x = f32[7] parameter(0)\n  ROOT y = f32[7] sine(x)\n}}\n", header));
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  auto executable = compile_module(*module, {});
  EXPECT_TRUE(executable.ok()) << executable.status().to_string();
  return *executable;
}

class CompileModule : public testing::Test {
 protected:
  void TearDown() override { clear_backends(); }
};

TEST_F(CompileModule, GivesTheKnownExecutableWhateverNotesTheHeaderHas) {
  const auto first = compiled("");
  EXPECT_EQ(compiled(""), first);
  EXPECT_EQ(compiled(", frontend_attributes={note=\"x\"}"), first);
}

TEST_F(CompileModule, CompilesAnewWhatTheHeaderChanges) { EXPECT_NE(compiled(", replica_count=1"), compiled("")); }

}  // namespace
}  // namespace hilo
