// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/header.h"

#include <gtest/gtest.h>

namespace hilo::cpu {
namespace {

CArray array(std::string name, std::string path, std::string type, std::string extent, ElementType element,
             std::vector<int64_t> dimensions) {
  return {std::move(name), std::move(path), std::move(type), std::move(extent),
          *Shape::make_array(element, dimensions)};
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Header, DeclaresTheFunctionAndItsFigures) {
  const CInterface interface{"f",
                             "F",
                             {array("x", "args[0]", "double", "6", ElementType::kF64, {6})},
                             {array("y", "y", "float", "2 * 3", ElementType::kF32, {2, 3})}};
  const std::string header =
      object_header(interface, {.isas = {Isa::kAvx2}, .program = "lander", .arena_bytes = 4096, .stack_bytes = 512});
  EXPECT_TRUE(holds(header, "int f(const double x[6], float y[2 * 3], void* arena);\n")) << header;
  EXPECT_TRUE(
      holds(header, "int f_call(const void* const* args, void* const* results, void* arena, const hilo_rt* rt);\n"));
  EXPECT_TRUE(holds(header, "  F_ABI = 1,\n  F_ARENA_BYTES = 4096,\n  F_ARENA_ALIGN = 64,\n  F_STACK_BYTES = 512,"));
  EXPECT_TRUE(holds(header, "  F_X_BYTES = 48,\n  F_Y_BYTES = 24\n};"));
  EXPECT_TRUE(holds(header, "/* lander. Returns"));
  EXPECT_TRUE(holds(header, " *   x  float64[6]    args[0]\n"));
  EXPECT_TRUE(holds(header, " *   y  float32[2,3]\n"));
  EXPECT_TRUE(holds(header, "Code for x86-64:v3."));
}

TEST(Header, APathDoesNotEndAComment) {
  const CInterface interface{"f", "F", {array("x", "*/ int main; /*", "double", "6", ElementType::kF64, {6})}, {}};
  EXPECT_TRUE(holds(object_header(interface, {.program = "a */ b"}), "* / int main; /*\n"));
  EXPECT_FALSE(holds(object_header(interface, {.program = "a */ b"}), "a */ b"));
}

TEST(Header, LargeFiguresAreMacros) {
  const CInterface interface{"f", "F", {}, {array("y", "y", "double", "400000000", ElementType::kF64, {400000000})}};
  EXPECT_TRUE(holds(object_header(interface, {}), "#define F_Y_BYTES INT64_C(3200000000)\n"));
}

TEST(Header, MoreArraysThanParametersHaveTheGenericFunctionOnly) {
  CInterface interface{"f", "F", {}, {}};
  for (int k = 0; k < 200; ++k)
    interface.arguments.push_back(array("x" + std::to_string(k), "", "float", "1", ElementType::kF32, {}));
  const std::string header = object_header(interface, {});
  EXPECT_FALSE(holds(header, "int f("));
  EXPECT_TRUE(holds(header, "int f_call("));
}

}  // namespace
}  // namespace hilo::cpu
