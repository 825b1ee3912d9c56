// SPDX-License-Identifier: Apache-2.0
// Broken and very large texts: always a result or an error, in linear time and without deep recursion.
#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/hlo/verify/verifier.h"

namespace hilo::hlo {
namespace {

constexpr const char* kSample =
    "HloModule sample, input_output_alias={ {0}: (0, {}, may-alias) }, "
    "entry_computation_layout={(f32[2,3]{1,0})->(f32[2,3]{1,0}, f32[2]{0})}\n\n"
    "%add (x: f32[], y: f32[]) -> f32[] {\n"
    "  %x = f32[] parameter(0)\n"
    "  %y = f32[] parameter(1), metadata={op_name=\"y\\n\" source_line=3}\n"
    "  ROOT %sum = f32[] add(%x, %y)\n"
    "}\n\n"
    "ENTRY %main (p: f32[2,3]) -> (f32[2,3], f32[2]) {\n"
    "  %p = f32[2,3]{1,0} parameter(0) // a comment\n"
    "  %c = c64[2]{0} constant({(1, -2), (nan(0x1), inf)})\n"
    "  %zero = f32[] constant(-0)\n"
    "  %s = f32[1,3]{1,0} slice(%p), slice={[0:1], [0:3]}\n"
    "  %pad = f32[2,3]{1,0} pad(%s, %zero), padding=0_1x0_0\n"
    "  %lt = pred[2,3]{1,0} compare(%pad, /*index=1*/%p), direction=LT\n"
    "  %r = f32[2]{0} reduce(%pad, %zero), dimensions={1}, to_apply=%add\n"
    "  %cc = f32[2]{0} custom-call(%r), custom_call_target=\"t\", called_computations={%add}, "
    "backend_config={\"a\":1}\n"
    "  ROOT %t = (f32[2,3]{1,0}, f32[2]{0}) tuple(%pad, %cc)\n"
    "}\n";

/// Parses `text`. If it succeeds, the module must verify and survive a round trip.
void expect_an_answer(const std::string& text) {
  const StatusOr<Module> module = parse_module(text);
  if (!module.ok()) return;
  EXPECT_TRUE(verify(*module).ok()) << text;
  const StatusOr<Module> again = parse_module(print_module(*module));
  ASSERT_TRUE(again.ok()) << again.status().to_string() << "\n" << text << "\nprinted as\n" << print_module(*module);
  EXPECT_EQ(again->entry->fingerprint(), module->entry->fingerprint()) << text;
}

TEST(Hostile, SampleReads) {
  const StatusOr<Module> module = parse_module(kSample);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
}

TEST(Hostile, TruncationAtEveryByte) {
  const std::string sample = kSample;
  for (size_t size = 0; size < sample.size(); ++size) expect_an_answer(sample.substr(0, size));
}

TEST(Hostile, EveryByteReplaced) {
  std::string text = kSample;
  for (size_t i = 0; i < text.size(); ++i) {
    const char original = text[i];
    for (const char c : {'\0', '{', '}', '(', ')', '"', '%', ',', '9', '-', '\n', '/', '\xff'}) {
      text[i] = c;
      expect_an_answer(text);
    }
    text[i] = original;
  }
}

TEST(Hostile, EveryByteDroppedOrDoubled) {
  const std::string text = kSample;
  for (size_t i = 0; i < text.size(); ++i) {
    expect_an_answer(text.substr(0, i) + text.substr(i + 1));
    expect_an_answer(text.substr(0, i) + text[i] + text.substr(i));
  }
}

TEST(Hostile, ManyUndefinedOperandsAreAnsweredInLinearTime) {
  std::string text = "HloModule m\nENTRY main {\n  a = f32[] parameter(0)\n";
  for (int i = 0; i < 100000; ++i) text += "  x" + std::to_string(i) + " = f32[] add(a, y" + std::to_string(i) + ")\n";
  const StatusOr<Module> module = parse_module(text + "}\n");
  EXPECT_EQ(module.status().code(), StatusCode::kNotFound);
}

TEST(Large, ChainOfAMillionInstructions) {
  constexpr int kLength = 1'000'000;
  std::string text = "HloModule chain\n\nENTRY %main (x0: f32[4]) -> f32[4] {\n  %x0 = f32[4]{0} parameter(0)\n";
  for (int i = 1; i <= kLength; ++i) {
    text += (i == kLength ? "  ROOT %x" : "  %x") + std::to_string(i) + " = f32[4]{0} sine(%x" + std::to_string(i - 1) +
            ")\n";
  }
  text += "}\n";
  const StatusOr<Module> module = parse_module(text);
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  EXPECT_TRUE(verify(*module).ok());
  EXPECT_TRUE(print_module(*module) == text);
}

TEST(Large, ChainOfAHundredThousandCalls) {
  constexpr int kLength = 100'000;
  std::string text = "HloModule calls\n\n%f0 (x: f32[]) -> f32[] {\n  ROOT %x = f32[] parameter(0)\n}\n";
  for (int i = 1; i <= kLength; ++i) {
    text += (i == kLength ? "\nENTRY %f" : "\n%f") + std::to_string(i) +
            " (x: f32[]) -> f32[] {\n  %x = f32[] parameter(0)\n" + "  ROOT %y = f32[] call(%x), to_apply=%f" +
            std::to_string(i - 1) + "\n}\n";
  }
  const StatusOr<Module> module = parse_module(text);
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  EXPECT_TRUE(print_module(*module) == text);
}

TEST(Large, ConstantOfAMillionValues) {
  std::string text = "HloModule c\n\nENTRY %main () -> s32[1000,1000] {\n  ROOT %c = s32[1000,1000]{1,0} constant({";
  for (int i = 0; i < 1000; ++i) {
    text += i == 0 ? "{" : ", {";
    for (int j = 0; j < 1000; ++j) text += (j == 0 ? "" : ", ") + std::to_string(i * j);
    text += "}";
  }
  text += "})\n}\n";
  const StatusOr<Module> module = parse_module(text);
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  EXPECT_TRUE(print_module(*module) == text);
}

}  // namespace
}  // namespace hilo::hlo
