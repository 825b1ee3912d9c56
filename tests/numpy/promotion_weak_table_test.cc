// SPDX-License-Identifier: Apache-2.0
// Result types compared with JAX's: functions by argument types, weakly typed or not, with and without x64.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <sstream>

#include "hilo/hilo.h"
#include "hilo/trace/staging_trace.h"

namespace hilo {
namespace {

/// The operands that the names in a call refer to.
struct In {
  const Array &x, &s, &m, &h, &k, &ids, &b, &d;
};
struct Row {
  const char* call;
  std::function<Array(const In&)> f;
  std::array<const char*, 4> types;  ///< without x64: not weak, weak; with x64: not weak, weak
};

// A call uses some of these names.
#define NAMES                                                                                                   \
  [[maybe_unused]] const Array &x = in.x, &s = in.s, &m = in.m, &h = in.h, &k = in.k, &ids = in.ids, &b = in.b, \
                               &d = in.d;
#define ROW(call, ...) {#call, [](const In& in) -> Array { NAMES return call; }, {__VA_ARGS__}},
const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
#include "tests/numpy/weak_table_golden.inc"
#include "tests/numpy/weak_table_more_golden.inc"
  };
  return all;
}

constexpr ElementType kTypes[] = {ElementType::kPred, ElementType::kS8,  ElementType::kS32,  ElementType::kS64,
                                  ElementType::kU8,   ElementType::kU32, ElementType::kBf16, ElementType::kF16,
                                  ElementType::kF32,  ElementType::kF64, ElementType::kC64,  ElementType::kC128};

/// Known differences from JAX: for each call, the argument types and the reason.
struct Difference {
  const char *types, *reason;
};
const std::map<std::string, Difference>& differences() {
#define DIFFERS(call, types, reason) {#call, {types, reason}},
  static const std::map<std::string, Difference> all = {
#include "tests/numpy/weak_table_differs.inc"
  };
  return all;
}
bool is_known(const char* call, const std::string& type) {
  const auto found = differences().find(call);
  return found != differences().end() &&
         (std::string(" ") + found->second.types + " ").find(" " + type + " ") != std::string::npos;
}

/// The type of a call's result; nothing is executed.
std::string type_of(const Row& row, ElementType type, bool weak) {
  const auto aval = [](ElementType t, std::vector<int64_t> shape, bool is_weak = false) {
    return Aval{or_throw(Shape::make_array(t, shape)), is_weak};
  };
  const std::vector<Aval> avals = {aval(type, {3}, weak),         aval(type, {}, weak),
                                   aval(type, {2, 2}, weak),      aval(ElementType::kBf16, {3}),
                                   aval(ElementType::kS8, {3}),   aval(ElementType::kS32, {2}),
                                   aval(ElementType::kPred, {3}), aval(ElementType::kF32, {3})};
  const FlatFunction flat = [&](std::span<const Array> a) {
    return std::vector{row.f({a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]})};
  };
  const Aval result = stage(flat, avals, "weak_table", row.call).results[0];
  return std::string(element_type_name(result.shape.element_type())) + (result.weak_type ? "*" : "");
}

void expect_types_of_jax(bool x64) {
  ASSERT_TRUE(config().update("jax_enable_x64", x64).ok());
  for (const Row& row : rows()) {
    for (const bool weak : {false, true}) {
      std::istringstream words(row.types[size_t{2} * x64 + weak]);
      std::string right;
      for (const ElementType type : kTypes) {
        words >> right;
        if (right == "-") continue;
        std::string got;
        try {
          got = type_of(row, type, weak);
        } catch (const std::exception& e) {
          got = std::string("error: ") + e.what();
        }
        if (got == right) continue;
        const std::string key = std::string(element_type_name(type)) + (weak ? "*" : "") + (x64 ? "/x64" : "");
        EXPECT_TRUE(is_known(row.call, key)) << row.call << " " << key << " gives " << got << ", JAX " << right;
      }
    }
  }
  ASSERT_TRUE(config().clear("jax_enable_x64").ok());
}

TEST(WeakTable, TypesAreThoseOfJax) { expect_types_of_jax(false); }
TEST(WeakTable, TypesAreThoseOfJaxWithX64) { expect_types_of_jax(true); }

}  // namespace
}  // namespace hilo
