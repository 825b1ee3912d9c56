// SPDX-License-Identifier: Apache-2.0
// Writes HLO as StableHLO, as text and as a portable artifact, and reads it again.
#include "hilo/stablehlo/write/write_tree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "hilo/base/files.h"
#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/stablehlo/translate/translate.h"
#include "tests/paths.h"
#include "tests/support/number.h"
#include "tests/support/status_cell.h"
#include "tests/support/tables.h"

namespace hilo::stablehlo {
namespace {

using Write = StatusOr<std::string> (*)(const hlo::Module&);
struct Form {
  std::string_view name;
  Write write;
};
constexpr Form kForms[] = {{"text", write_text}, {"bytecode", write_bytecode}};

StatusOr<hlo::Module> read_module(std::string_view data, const std::string& source) {
  HILO_ASSIGN_OR_RETURN(const ModuleTree tree, read_tree(data, source));
  return translate(tree);
}

/// The program after a round trip.
StatusOr<hlo::Module> round_trip(const hlo::Module& module, Write write, std::string& written) {
  HILO_ASSIGN_OR_RETURN(written, write(module));
  return read_module(written, "written");
}

std::string shown(std::string_view written) {
  return written.starts_with("ML\xefR") ? "(bytecode)" : std::string(written);
}

// ---- Programs of JAX.

const std::string kFolder = std::string(tests::kSourceDir) + "/tests/stablehlo/recorded/";

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".mlirbc") all.push_back(entry.path().stem().string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

class RecordedWritten : public testing::TestWithParam<std::string> {};

TEST_P(RecordedWritten, TheSameProgramComesBack) {
  const StatusOr<std::string> bytes = read_file(kFolder + GetParam() + ".mlirbc");
  ASSERT_TRUE(bytes.ok());
  const StatusOr<hlo::Module> module = read_module(*bytes, GetParam());
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  for (const Form& form : kForms) {
    std::string written, again;
    const StatusOr<hlo::Module> first = round_trip(*module, form.write, written);
    ASSERT_TRUE(first.ok()) << form.name << ": " << first.status().to_string() << shown(written);
    EXPECT_EQ(first->entry->fingerprint(), module->entry->fingerprint())
        << form.name << hlo::print_module(*module) << hlo::print_module(*first) << shown(written);
    const StatusOr<hlo::Module> second = round_trip(*first, form.write, again);
    ASSERT_TRUE(second.ok()) << form.name << ": " << second.status().to_string();
    EXPECT_EQ(written, again) << form.name << ": what is written again differs";
  }
}

INSTANTIATE_TEST_SUITE_P(Files, RecordedWritten, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

// ---- Every op.

std::vector<hlo::Opcode> sampled_opcodes() {
  std::set<hlo::Opcode> all;
  for (const tests::Cell& cell : tests::cells()) {
    if (tests::runs_alone(cell.opcode)) all.insert(cell.opcode);  // other ops need more instructions
  }
  return {all.begin(), all.end()};
}

bool near(const Literal& got, const Literal& wanted) {
  if (got.shape() != wanted.shape()) return false;
  for (int64_t i = 0; i < wanted.shape().element_count(); ++i) {
    const tests::Wide a = tests::wide_at(got, i), b = tests::wide_at(wanted, i);
    const bool both_nan = a != a && b != b;
    if (!both_nan && a != b && !(std::abs(a - b) <= 1e-2L * std::max(1.0L, std::abs(b)))) return false;
  }
  return true;
}

/// Ops without a StableHLO form: those over named axes, and those with sizes known only at run time.
bool is_refused(hlo::Opcode opcode) {
  constexpr std::string_view kRefused[] = {"hilo.psum",     "hilo.pmax",       "hilo.pmin",         "hilo.all_gather",
                                           "hilo.ppermute", "hilo.axis_index", "set-dimension-size"};
  return std::ranges::count(kRefused, hlo::opcode_name(opcode)) != 0;
}

class OpcodeWritten : public testing::TestWithParam<hlo::Opcode> {};

TEST_P(OpcodeWritten, GivesTheSameValuesWhenReadBack) {
  int count = 0;
  for (const tests::Cell& cell : tests::cells()) {
    if (cell.opcode != GetParam()) continue;
    for (const tests::Sample& sample : tests::samples_of(cell.opcode, cell.type, 3, tests::Values::kSmooth)) {
      const hlo::ComputationPtr computation = tests::built(sample);
      ASSERT_NE(computation, nullptr);
      for (const Form& form : kForms) {
        std::string written;
        const StatusOr<hlo::Module> again = round_trip(tests::module_of(computation), form.write, written);
        if (is_refused(cell.opcode)) {
          EXPECT_EQ(again.status().code(), StatusCode::kUnimplemented) << form.name << again.status().to_string();
          continue;
        }
        ASSERT_TRUE(again.ok()) << form.name << ": " << again.status().to_string() << shown(written);
        ++count;
        if (again->entry->fingerprint() == computation->fingerprint()) continue;
        const auto wanted = tests::evaluated(*computation, sample.operands);
        const auto got = tests::evaluated(*again->entry, sample.operands);
        ASSERT_EQ(got.size(), wanted.size()) << shown(written);
        for (size_t i = 0; i < got.size(); ++i)
          EXPECT_TRUE(near(got[i], wanted[i]))
              << form.name << got[i].to_string() << wanted[i].to_string() << shown(written);
      }
    }
  }
  EXPECT_TRUE(count > 0 || is_refused(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, OpcodeWritten, testing::ValuesIn(sampled_opcodes()), [](const auto& info) {
  std::string name(hlo::opcode_name(info.param));
  for (char& c : name) c = c == '-' || c == '.' ? '_' : c;
  return name;
});

// ---- The text.

std::string written(std::string_view program) {
  const StatusOr<hlo::Module> module = hlo::parse_module(program);
  if (!module.ok()) return module.status().to_string();
  const StatusOr<std::string> text = write_text(*module);
  return text.ok() ? *text : text.status().to_string();
}

/// The tables next to this file: HLO, and the text written for it, or the error.
class WriteTables : public testing::TestWithParam<tests::TableRow> {};

TEST_P(WriteTables, GiveStableHlo) {
  const StatusOr<hlo::Module> module = hlo::parse_module(GetParam().input, {.source = "t.hlo"});
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  const StatusOr<std::string> text = write_text(*module);
  tests::expect_output(GetParam(), text.ok() ? *text : text.status().to_string());
}

INSTANTIATE_TEST_SUITE_P(Write, WriteTables, testing::ValuesIn(tests::table_rows("stablehlo/write")),
                         [](const auto& info) { return tests::name_of(info.param); });

TEST(WriteText, IsWhatAPersonReads) {
  EXPECT_EQ(written(R"(HloModule m
sum { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
ENTRY main { x = f32[2,3] parameter(0)
  y = f32[3] parameter(1)
  w = f32[2,3] broadcast(y), dimensions={1}
  p = f32[2,3] multiply(x, w)
  z = f32[] constant(0)
  r = f32[2] reduce(p, z), dimensions={1}, to_apply=sum
  c = pred[2,3] compare(x, w), direction=LT
  ROOT t = (f32[2], pred[2,3]) tuple(r, c) }
)"),
            R"(module @m {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> (tensor<2xf32>, tensor<2x3xi1>) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<2x3xf32>
    %2 = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %4 = stablehlo.compare LT, %arg0, %0, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    return %3, %4 : tensor<2xf32>, tensor<2x3xi1>
  }
}
)");
}

TEST(WriteText, TuplesInsideAreListsOfValues) {
  const std::string text = written(R"(HloModule m
c { s = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT p = pred[] compare(i, n), direction=LT }
b { s = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[] add(x, x)
  ROOT r = (s32[], f32[]) tuple(j, y) }
ENTRY main { s = (s32[], f32[]) parameter(0)
  w = (s32[], f32[]) while(s), condition=c, body=b
  ROOT x = f32[] get-tuple-element(w), index=1 }
)");
  EXPECT_NE(text.find("%2:2 = stablehlo.while(%iterArg_1 = %0, %iterArg_2 = %1) : tensor<i32>, tensor<f32>"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("@main(%arg0: tuple<tensor<i32>, tensor<f32>>) -> tensor<f32>"), std::string::npos) << text;
  EXPECT_NE(text.find("return %2#1 : tensor<f32>"), std::string::npos) << text;
}

TEST(WriteText, NumbersThatDecimalsDontSayAreBits) {
  const std::string text = written("HloModule m\nENTRY main { ROOT c = f32[4] constant({nan, -inf, -0, 1e-5}) }\n");
  EXPECT_NE(text.find("dense<[0x7FC00000, 0xFF800000, -0.0, 1.0e-05]> : tensor<4xf32>"), std::string::npos) << text;
}

TEST(WriteText, WhatStableHloLacksIsRefusedByName) {
  EXPECT_EQ(written("HloModule m\nENTRY main { ROOT s = u64[2] rng-get-and-update-state(), delta=1 }\n"),
            "UNIMPLEMENTED: rng-get-and-update-state 's': StableHLO has no such operation");
}

TEST(WriteBytecode, SaysItsVersion) {
  const StatusOr<hlo::Module> module = hlo::parse_module("HloModule m\nENTRY main { ROOT p = f32[2] parameter(0) }\n");
  ASSERT_TRUE(module.ok());
  const StatusOr<std::string> bytes = write_bytecode(*module);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(bytes->substr(0, 21), std::string("ML\xefR\x0dStableHLO_v1.9.0", 21));
}

}  // namespace
}  // namespace hilo::stablehlo
