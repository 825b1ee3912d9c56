// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/c_interface.h"

#include <gtest/gtest.h>

namespace hilo::cpu {
namespace {

ProgramSignature signature(std::vector<Shape> arguments, std::vector<Shape> results) {
  ProgramSignature s;
  s.argument_shapes = std::move(arguments);
  s.result_shapes = std::move(results);
  return s;
}
Shape array(ElementType type, std::vector<int64_t> dimensions) { return *Shape::make_array(type, dimensions); }

std::string parameters(const StatusOr<CInterface>& interface) {
  if (!interface.ok()) return interface.status().to_string();
  std::string text;
  for (const auto* arrays : {&interface->arguments, &interface->results}) {
    for (const CArray& a : *arrays) text += a.type + " " + a.name + "[" + a.extent + "] ";
  }
  return text;
}

TEST(CInterface, LeavesWithoutPathsAreNumbered) {
  const Shape x = array(ElementType::kF64, {3}), m = array(ElementType::kF32, {3, 4}), t = array(ElementType::kS32, {});
  EXPECT_EQ(parameters(c_interface(signature({x}, {t}), {.name = "f"})), "double x[3] int32_t y[1] ");
  EXPECT_EQ(parameters(c_interface(signature({x, m}, {t, x}), {.name = "f"})),
            "double x0[3] float x1[3 * 4] int32_t y0[1] double y1[3] ");
}

TEST(CInterface, PathsOfJaxBecomeShortNames) {
  const Shape x = array(ElementType::kF64, {3});
  const auto named = [&](std::vector<std::string> paths) {
    return parameters(c_interface(signature(std::vector<Shape>(paths.size(), x), {x}),
                                  {.name = "f", .argument_paths = paths, .result_paths = {"result['loss']"}}));
  };
  EXPECT_EQ(named({"args[0]['w']", "args[0].b", "kwargs['t']"}),
            "double x0_w[3] double x0_b[3] double t[3] double loss[3] ");
  EXPECT_EQ(
      parameters(c_interface(signature({x}, {x, x}),
                             {.name = "f", .argument_paths = {"argsort"}, .result_paths = {"[0]['loss']", "[1]"}})),
      "double argsort[3] double y0_loss[3] double y1[3] ");
}

TEST(CInterface, NamesAreUniqueAndNoneIsReserved) {
  const Shape x = array(ElementType::kF64, {3});
  EXPECT_EQ(parameters(
                c_interface(signature({x, x, x, x, x}, {x}),
                            {.name = "f", .argument_paths = {"x", "X", "arena", "while", "f"}, .result_paths = {"x"}})),
            "double x[3] double X_2[3] double arena_2[3] double while_2[3] double f_2[3] double x_3[3] ");
}

TEST(CInterface, TypesThatCLacksAreBits) {
  EXPECT_EQ(parameters(c_interface(signature({array(ElementType::kBf16, {2}), array(ElementType::kC128, {2, 2}),
                                              array(ElementType::kPred, {}), array(ElementType::kU64, {0, 3})},
                                             {array(ElementType::kC64, {})}),
                                   {.name = "f"})),
            "uint16_t x0[2] double x1[2 * 2 * 2] uint8_t x2[1] uint64_t x3[] float y[2] ");
}

TEST(CInterface, RefusesOtherNamesAndCounts) {
  const Shape x = array(ElementType::kF64, {3});
  for (const char* name : {"", "2x", "a-b", "double", "_x", "é"})
    EXPECT_EQ(c_interface(signature({x}, {x}), {.name = name}).status().code(), StatusCode::kInvalidArgument) << name;
  EXPECT_EQ(parameters(c_interface(signature({x}, {x}), {.name = "f", .argument_paths = {"a", "b"}})),
            "INVALID_ARGUMENT: writing an object: got 2 paths of arguments; wanted 1");
}

TEST(CInterface, IdentifierOfAnyText) {
  EXPECT_EQ(c_identifier("params['w'].0"), "params_w_0");
  EXPECT_EQ(c_identifier("2nd"), "x2nd");
  EXPECT_EQ(c_identifier("'é'"), "");
}

}  // namespace
}  // namespace hilo::cpu
