// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/load/saved_program.h"

#include <gtest/gtest.h>

#include "hilo/hlo/ops/custom_call_registry.h"
#include "hilo/hlo/text/parser.h"
#include "tests/support/clients.h"

namespace hilo::cpu {
namespace {

std::unique_ptr<Executable> compiled(const std::string& text) {
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return *tests::cpu_client()->compile(*module, {}, nullptr);
}

const char* const kSine = "HloModule f\nENTRY main {\n x = f32[8] parameter(0)\n ROOT y = f32[8] sine(x)\n}\n";

TEST(SavedProgram, SaysWhichBytesItCannotRead) {
  const ClientPtr client = tests::cpu_client();
  EXPECT_EQ(client->load("HloModule f").status().to_string(),
            "INVALID_ARGUMENT: reading a saved program: these bytes aren't a saved program. Hint: use the bytes of "
            "Executable::serialize()");
  std::string bytes = *compiled(kSine)->serialize();
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_EQ(client->load(bytes).status().to_string(),
            "INVALID_ARGUMENT: reading a saved program: its checksum differs: the bytes are damaged");
}

TEST(SavedProgram, IsReadByTheInstructionSetThatItIsForOnly) {
  const std::string bytes = *compiled(kSine)->serialize();
  SavedProgram saved = *read_program(bytes);
  saved.plan.target = "sse9";
  const std::string other = save_program(saved.signature, saved.plan, saved.module);
  const Status status = tests::cpu_client()->load(other).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find("it is for sse9"), std::string::npos) << status.to_string();
}

TEST(SavedProgram, ShowsObserversWhatTheCompiledOneShows) {
  const std::unique_ptr<Executable> program = compiled(kSine);
  const std::unique_ptr<Executable> loaded = *tests::cpu_client()->load(*program->serialize());
  ASSERT_EQ(loaded->units().size(), program->units().size());
  for (size_t k = 0; k < loaded->units().size(); ++k) {
    const ExecutionUnit &got = loaded->units()[k], &wanted = program->units()[k];
    EXPECT_EQ(got.kind, wanted.kind);
    EXPECT_EQ(got.bytes, wanted.bytes);
    ASSERT_EQ(got.instructions.size(), wanted.instructions.size());
    for (size_t i = 0; i < got.instructions.size(); ++i)
      EXPECT_EQ(got.instructions[i]->name, wanted.instructions[i]->name);
  }
}

TEST(SavedProgram, RefusesCallsOfThisProcess) {
  const auto handler = [](const CustomCallFrame&) { return ok_status(); };
  ASSERT_TRUE(register_custom_call("test.here", handler, CustomCallMeaning::kInThisProcess).ok());
  const auto program = compiled(
      "HloModule f\nENTRY main {\n x = f32[8] parameter(0)\n ROOT y = f32[8] custom-call(x), "
      "custom_call_target=\"test.here\"\n}\n");
  EXPECT_EQ(
      program->serialize().status().to_string(),
      "UNIMPLEMENTED: serialize 'f': custom-call 'y' calls a function that exists in this process only ('test.here')");
}

}  // namespace
}  // namespace hilo::cpu
