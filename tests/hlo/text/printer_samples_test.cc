// SPDX-License-Identifier: Apache-2.0
// Printed text parses back to the same program. Covers every sample of the op table, constants of every type and rank,
// and special values. Also covers names that HLO text doesn't support. With HILO_TEXTS=FOLDER the texts are written to
// FOLDER for tests/interop/hlo_texts.py, which parses them with XLA.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/text/lexer.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "tests/support/samples.h"

namespace hilo::hlo {
namespace {

/// Prints, parses and compares.
void expect_back(const Module& module, const std::string& name) {
  const std::string text = print_module(module);
  if (const char* const folder = std::getenv("HILO_TEXTS"))
    std::ofstream(std::string(folder) + "/" + name + ".hlo") << text;
  const StatusOr<Module> read = parse_module(text, {.source = name});
  ASSERT_TRUE(read.ok()) << read.status().to_string() << "\n" << text;
  EXPECT_EQ(read->entry->fingerprint(), module.entry->fingerprint()) << text;
  EXPECT_EQ(print_module(*read), text);
}

TEST(PrintedTexts, EverySampleOfTheOpTable) {
  int printed = 0;
  for (int k = 0; k < kOpcodeCount; ++k) {
    const auto opcode = static_cast<Opcode>(k);
    for (const ElementType type : tests::array_types()) {
      int number = 0;
      for (const tests::Sample& sample : tests::samples_of(opcode, type, 3, tests::Values::kEdges)) {
        const StatusOr<ComputationPtr> computation = tests::computation_of(sample);
        if (!computation.ok()) continue;  // a type that the op's row allows and its rule rejects
        std::string name(opcode_name(opcode));
        std::ranges::replace(name, '.', '_');
        expect_back(tests::module_of(*computation),
                    "sample_" + name + "_" + std::string(element_type_name(type)) + "_" + std::to_string(number++));
        ++printed;
      }
    }
  }
  EXPECT_GT(printed, 1000);
}

ComputationPtr constant_of(Literal value) {
  Builder builder("main");
  const InstructionId root = builder.constant(std::move(value));
  return *std::move(builder).build(root);
}

TEST(PrintedTexts, ConstantsWithAndWithoutElements) {
  std::mt19937 random(7);
  int number = 0;
  for (const ElementType type : tests::array_types()) {
    for (int rank = 0; rank <= 6; ++rank) {
      for (int form = 0; form < 6; ++form) {
        std::vector<int64_t> sizes;
        for (int d = 0; d < rank; ++d)
          sizes.push_back(static_cast<int64_t>(random() % (form == 0 ? 4 : 3)) + (form > 2));
        Literal value(Shape::array(type, sizes));
        std::span<std::byte> bytes = value.mutable_bytes();
        // Random bits that are valid values of the type.
        for (std::byte& byte : bytes)
          byte = static_cast<std::byte>(type == ElementType::kPred         ? random() % 2
                                        : element_type_info(type).bits < 8 ? 0
                                                                           : random());
        expect_back(tests::module_of(constant_of(std::move(value))),
                    "constant_" + std::string(element_type_name(type)) + "_" + std::to_string(number++));
      }
    }
  }
  for (const std::vector<int64_t>& sizes :
       {std::vector<int64_t>{2, 0, 1}, {100000, 0}, {3, 1000000000, 0, 4}, {0, 1 << 30}})
    expect_back(tests::module_of(constant_of(Literal(Shape::array(ElementType::kF32, sizes)))),
                "empty_" + std::to_string(number++));
}

TEST(PrintedTexts, NamesThatTextCannotHave) {
  const char* const kNames[] = {"35",   "f32",   "s1",        "u1",   "pred", "token", "__x",  "__xla_x",  "a b",
                                "",     "-x",    "x-",        "true", "ROOT", "ENTRY", "nan",  "inf",      "1.5",
                                "%x",   "x:y",   "é",         "a/b",  "bf16", "tuple", "mesh", "f6e2m3fn", "b",
                                "x->y", "{...}", "HloModule", ".x",   "_.1",  "0x1"};
  int number = 0;
  for (const char* name : kNames) {
    Builder body(name);
    const InstructionId p = body.parameter(Shape::scalar(ElementType::kF32), name);
    const InstructionId negated = *body.add(Opcode::kNegate, {p}, nullptr, std::nullopt, name);
    Module module = tests::module_of(*std::move(body).build(negated));
    module.name = name;
    const std::string text = print_module(module);
    const StatusOr<Module> read = parse_module(text);
    ASSERT_TRUE(read.ok()) << read.status().to_string() << "\n" << text;
    EXPECT_EQ(read->entry->fingerprint(), module.entry->fingerprint()) << text;
    for (const Instruction& i : read->entry->instructions()) EXPECT_TRUE(text::is_plain_name(i.name)) << i.name;
    expect_back(module, "name_" + std::to_string(number++));
  }
}

}  // namespace
}  // namespace hilo::hlo
