// SPDX-License-Identifier: Apache-2.0
// Modules that JAX wrote, each as text and as bytecode.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "hilo/base/files.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/hlo/verify/verifier.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/stablehlo/translate/translate.h"
#include "tests/paths.h"

namespace hilo::stablehlo {
namespace {

const std::string kFolder = std::string(tests::kSourceDir) + "/tests/stablehlo/recorded/";

/// Includes subfolders, whose programs contain constructs that the writer doesn't write.
std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder)) {
    const std::filesystem::path path = std::filesystem::relative(entry.path(), kFolder);
    if (path.extension() == ".mlirbc") all.push_back((path.parent_path() / path.stem()).string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

StatusOr<hlo::Module> module_in(const std::string& file) {
  HILO_ASSIGN_OR_RETURN(const std::string bytes, read_file(kFolder + file));
  HILO_ASSIGN_OR_RETURN(const ModuleTree tree, read_tree(bytes, file));
  return translate(tree);
}

class Recorded : public testing::TestWithParam<std::string> {};

TEST_P(Recorded, TextAndBytecodeGiveTheSameProgram) {
  const StatusOr<hlo::Module> text = module_in(GetParam() + ".mlir");
  const StatusOr<hlo::Module> bytecode = module_in(GetParam() + ".mlirbc");
  ASSERT_TRUE(text.ok()) << text.status().to_string();
  ASSERT_TRUE(bytecode.ok()) << bytecode.status().to_string();
  EXPECT_EQ(text->entry->fingerprint(), bytecode->entry->fingerprint())
      << hlo::print_module(*text) << hlo::print_module(*bytecode);
  EXPECT_TRUE(hlo::verify(*text).ok()) << hlo::verify(*text).to_string();
}

TEST_P(Recorded, TheProgramIsHloThatReadsBack) {
  const StatusOr<hlo::Module> module = module_in(GetParam() + ".mlirbc");
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  const std::string printed = hlo::print_module(*module);
  const StatusOr<hlo::Module> again = hlo::parse_module(printed);
  ASSERT_TRUE(again.ok()) << again.status().to_string() << printed;
  EXPECT_EQ(again->entry->fingerprint(), module->entry->fingerprint());
}

/// Damaged bytes and text give an error or a module tree, and never use more memory than the input justifies.
TEST_P(Recorded, DamagedFilesAreErrorsOrPrograms) {
  for (const std::string extension : {".mlir", ".mlirbc"}) {
    const StatusOr<std::string> bytes = read_file(kFolder + GetParam() + extension);
    ASSERT_TRUE(bytes.ok());
    uint64_t state = 1;
    int errors = 0;
    constexpr int kMutants = 60;
    for (int i = 0; i < kMutants; ++i) {
      std::string damaged = *bytes;
      for (int k = 0; k < 3; ++k) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        damaged[(state >> 20) % damaged.size()] = static_cast<char>(state >> 56);
      }
      if (i % 10 == 9) damaged.resize((state >> 12) % damaged.size());
      const StatusOr<ModuleTree> tree = read_tree(damaged, "damaged");
      if (tree.ok()) (void)translate(*tree).ok();
      else EXPECT_NE(tree.status().message().find("damaged:"), std::string::npos) << tree.status().to_string();
      errors += tree.ok() ? 0 : 1;
    }
    EXPECT_GT(errors, kMutants / 10);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Recorded, testing::ValuesIn(names()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, '/', '_');
  return name;
});

TEST(Bytecode, NewerMajorVersionsAreRefusedByNumber) {
  StatusOr<std::string> bytes = read_file(kFolder + "mlp.mlirbc");
  ASSERT_TRUE(bytes.ok());
  const size_t producer = bytes->find("StableHLO_v1.13");
  ASSERT_NE(producer, std::string::npos);
  std::string later = *bytes;
  later.replace(producer, 15, "StableHLO_v2.13");
  EXPECT_EQ(read_tree(later, "m").status().to_string().find("UNIMPLEMENTED: m: byte"), 0U);
  EXPECT_NE(read_tree(later, "m").status().to_string().find("StableHLO_v2.13"), std::string::npos);
  later.replace(producer, 15, "StableHLO_v1.99");  // minor versions only add
  EXPECT_TRUE(read_tree(later, "m").ok()) << read_tree(later, "m").status().to_string();
  std::string newer = *bytes;
  newer[4] = 0x0f;  // the varint 7
  EXPECT_NE(read_tree(newer, "m").status().to_string().find("MLIR bytecode of version 7; this version reads 0 to 6"),
            std::string::npos);
}

TEST(Bytecode, LocationsBecomeMetadata) {
  for (const std::string file : {"mlp.mlir", "mlp.mlirbc"}) {
    const StatusOr<hlo::Module> module = module_in(file);
    ASSERT_TRUE(module.ok());
    const auto dot = std::find_if(module->entry->instructions().begin(), module->entry->instructions().end(),
                                  [](const hlo::Instruction& i) { return i.opcode == hlo::Opcode::kDot; });
    ASSERT_NE(dot, module->entry->instructions().end());
    ASSERT_NE(dot->annotations, nullptr);
    EXPECT_EQ(dot->annotations->op_name, "jit(mlp)/dot_general") << file;
    EXPECT_EQ(dot->annotations->source_file, "tests/golden/record_stablehlo.py") << file;
    EXPECT_GT(dot->annotations->source_line, 0) << file;
  }
}

}  // namespace
}  // namespace hilo::stablehlo
