// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/write/bytecode_tables.h"

#include <gtest/gtest.h>

namespace hilo::stablehlo {
namespace {

TEST(EntryTable, EqualEntriesOfADialectAreOne) {
  EntryTable table;
  EXPECT_EQ(table.add(kVhlo, "a"), 0u);
  EXPECT_EQ(table.add(kBuiltin, "a"), 1u);
  EXPECT_EQ(table.add(kVhlo, "a"), 0u);
  EXPECT_EQ(table.add(kVhlo, "b"), 2u);
  EXPECT_EQ(table.size(), 3u);
}

TEST(EntryTable, WritesRunsOfOneDialect) {
  EntryTable table;
  table.add(kVhlo, "a");
  table.add(kVhlo, "bc");
  table.add(kBuiltin, "d");
  ByteWriter bytes, offsets;
  table.write(bytes, offsets);
  EXPECT_EQ(bytes.data(), "abcd");
}

TEST(BytecodeTables, StringsAndTypesAreThereOnce) {
  ModuleTree tree;
  Type f32;
  f32.kind = TypeKind::kTensor;
  f32.element = ElementType::kF32;
  f32.dimensions = {2};
  tree.types = {f32, f32};
  BytecodeTables tables(tree);
  EXPECT_EQ(tables.string("x"), tables.string("x"));
  EXPECT_NE(tables.string("x"), tables.string("y"));
  EXPECT_EQ(tables.type(0), tables.type(1));
  EXPECT_TRUE(tables.status().ok());
}

TEST(BytecodeTables, TheFirstFailureStays) {
  ModuleTree tree;
  BytecodeTables tables(tree);
  tables.fail("one");
  tables.fail("two");
  EXPECT_EQ(tables.status().to_string(), "UNIMPLEMENTED: one");
}

TEST(BytecodeTables, TypesThatVhloLacksAreErrors) {
  ModuleTree tree;
  tree.types.emplace_back();
  tree.types[0].spelled = "!my.type";
  BytecodeTables tables(tree);
  tables.type(0);
  EXPECT_EQ(tables.status().code(), StatusCode::kUnimplemented);
  EXPECT_NE(tables.status().message().find("!my.type"), std::string::npos) << tables.status().message();
}

}  // namespace
}  // namespace hilo::stablehlo
