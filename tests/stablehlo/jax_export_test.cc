// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/jax_export.h"

#include <gtest/gtest.h>

#include "hilo/base/files.h"
#include "hilo/stablehlo/bytecode/reader.h"
#include "tests/paths.h"

namespace hilo::stablehlo {
namespace {

std::string data(const std::string& name) {
  return read_file(std::string(tests::kSourceDir) + "/tests/import/data/" + name + ".jax").value();
}

TEST(JaxExport, SaysWhatTheFunctionTakesAndGives) {
  const std::string bytes = data("mixed");
  ASSERT_TRUE(is_jax_export(bytes));
  const StatusOr<JaxExport> e = read_jax_export(bytes, "mixed.jax");
  ASSERT_TRUE(e.ok()) << e.status().to_string();
  EXPECT_EQ(e->function_name, "mixed");
  EXPECT_EQ(e->platforms, (std::vector<std::string>{"cpu"}));
  EXPECT_EQ(e->device_count, 1u);
  EXPECT_EQ(e->calling_convention_version, 10u);
  ASSERT_EQ(e->inputs.size(), 2u);
  EXPECT_EQ(e->inputs[0].type, ElementType::kF32);
  EXPECT_EQ(e->inputs[0].sizes, (std::vector<std::string>{"2"}));
  EXPECT_FALSE(e->inputs[0].is_symbolic());
  EXPECT_EQ(e->inputs[1].type, ElementType::kS32);
  EXPECT_EQ(e->outputs[1].path, "[1]");
  EXPECT_EQ(e->kept_inputs, (std::vector<size_t>{0, 1}));
  EXPECT_TRUE(is_bytecode(e->module));
  ASSERT_NE(e->vjp, nullptr);
  EXPECT_EQ(e->vjp->inputs.size(), 4u);
  EXPECT_TRUE(e->vjp->inputs[3].has_no_tangents);
  EXPECT_EQ(e->vjp->vjp, nullptr);
}

TEST(JaxExport, NamesInDictionariesOfTheModuleAreWhole) {
  const std::string bytes = data("upper_of_qr");
  const StatusOr<JaxExport> e = read_jax_export(bytes, "upper_of_qr.jax");
  ASSERT_TRUE(e.ok()) << e.status().to_string();
  const StatusOr<ModuleTree> tree = read_bytecode(e->module, "upper_of_qr.jax");
  ASSERT_TRUE(tree.ok()) << tree.status().to_string();
  size_t found = 0;
  for (const Attribute& attribute : tree->attributes) {
    for (const NamedAttribute& entry : attribute.entries) found += entry.name == "num_batch_dims" ? 1 : 0;
  }
  EXPECT_GT(found, 0u);
}

TEST(JaxExport, ATruncatedFileIsAnErrorThatNamesTheByte) {
  const std::string bytes = data("of_trees");
  for (size_t size = 0; size + 16 < bytes.size(); size += 7) {
    const StatusOr<JaxExport> e = read_jax_export(std::string_view(bytes).substr(0, size), "cut.jax");
    ASSERT_FALSE(e.ok()) << size;
    EXPECT_TRUE(e.status().message().starts_with("cut.jax: byte ")) << e.status().to_string();
  }
}

TEST(JaxExport, AnyChangedByteIsAFunctionOrAnError) {
  const std::string bytes = data("mixed");
  size_t read = 0, refused = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(~changed[at]);
    read_jax_export(changed, "changed.jax").ok() ? ++read : ++refused;
  }
  EXPECT_EQ(read + refused, bytes.size());
  EXPECT_GT(refused, 100u);
}

TEST(JaxExport, OtherFilesAreNone) {
  EXPECT_FALSE(is_jax_export(""));
  EXPECT_FALSE(is_jax_export("HloModule m"));
  EXPECT_FALSE(is_jax_export(std::string(1000, '\0')));
  EXPECT_FALSE(is_jax_export(std::string(1000, '\xff')));
}

}  // namespace
}  // namespace hilo::stablehlo
