// SPDX-License-Identifier: Apache-2.0
// LAPACK calls in loaded programs: arguments are validated before LAPACK is called.
#include "hilo/backend/cpu/library/linalg/lapack.h"

#include <limits>

#include "tests/backend/cpu/engine_check.h"
#include "tests/support/clients.h"

namespace hilo::cpu {
namespace {

/// A program of one call, whose matrices are column-major.
struct Call {
  std::string target;
  std::vector<Shape> operands, results;
  std::string attributes;
};

std::string layout_of(const Shape& shape) {
  std::string layout;
  for (int64_t d = shape.rank() - 1; d >= 0; --d) layout += (layout.empty() ? "" : ",") + std::to_string(d);
  if (shape.rank() == 2) layout = "0,1";
  return std::string(element_type_name(shape.element_type())) + dimensions_to_string(shape.dimensions()) + "{" +
         layout + "}";
}

hlo::Module program(const Call& call) {
  std::string signature, parameters, operands, layouts, results;
  for (size_t k = 0; k < call.operands.size(); ++k) {
    const std::string name = "p" + std::to_string(k), shape = call.operands[k].to_string();
    signature += (k == 0 ? "" : ", ") + name + ": " + shape;
    parameters += "  %" + name + " = " + shape + " parameter(" + std::to_string(k) + ")\n";
    operands += (k == 0 ? "%" : ", %") + name;
    layouts += (k == 0 ? "" : ", ") + layout_of(call.operands[k]);
  }
  for (const Shape& result : call.results) results += (results.empty() ? "" : ", ") + layout_of(result);
  if (call.results.size() != 1) results = "(" + results + ")";
  std::string plain;
  for (const Shape& result : call.results) plain += (plain.empty() ? "" : ", ") + result.to_string();
  if (call.results.size() != 1) plain = "(" + plain + ")";
  const std::string text = "HloModule m\n\nENTRY %main (" + signature + ") -> " + plain + " {\n" + parameters +
                           "  ROOT %c = " + results + " custom-call(" + operands + "), custom_call_target=\"" +
                           call.target + "\", operand_layout_constraints={" + layouts +
                           "}, api_version=API_VERSION_TYPED_FFI, backend_config={" + call.attributes + "}\n}\n";
  StatusOr<hlo::Module> module = hlo::parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string() << "\n" << text;
  return module.ok() ? *std::move(module) : hlo::Module();
}

/// The error, which engine and reference must share. Also reports output on stdout.
std::string answer(const Call& call) {
  const hlo::Module module = program(call);
  if (module.entry == nullptr) return "no program";
  ::testing::internal::CaptureStdout();
  const std::string slow = hlo::evaluate(module, samples(module)).status().to_string();
  auto executable = tests::cpu_client()->compile(module, {}, nullptr);
  std::string fast = executable.status().to_string();
  if (executable.ok()) {
    std::vector<BufferPtr> buffers, results((*executable)->result_shapes().size());
    for (const Literal& argument : samples(module)) buffers.push_back(tests::cpu_buffer(argument));
    fast = (*executable)->execute(buffers, results).to_string();
  }
  const std::string written = ::testing::internal::GetCapturedStdout();
  if (!written.empty()) return "on stdout: " + written;
  constexpr std::string_view kWhere = "Execute 'm': ";  // a prefix of the engine's messages
  if (const size_t at = fast.find(kWhere); at != std::string::npos) fast.erase(at, kWhere.size());
  if (fast != slow) return "the engine: " + fast + "\nthe reference: " + slow;
  return slow;
}

Shape f32(std::initializer_list<int64_t> sizes) { return Shape::array(ElementType::kF32, sizes); }
const Shape kInfo = Shape::scalar(ElementType::kS32);

/// Each attribute of each routine: `right` letters are valid, others are rejected with an error that names the
/// attribute.
struct Letters {
  Call call;  ///< a call without its attributes
  std::vector<std::pair<std::string, char>> right;
};

std::string written(const std::vector<std::pair<std::string, char>>& attributes, size_t wrong, int value) {
  std::string text;
  for (size_t k = 0; k < attributes.size(); ++k) {
    const int letter = k == wrong ? value : attributes[k].second;
    text += (k == 0 ? "" : ", ") + attributes[k].first + " = " + std::to_string(letter) + " : ui8";
  }
  return text;
}

TEST(Lapack, LettersThatItDoesNotKnowAreErrorsThatNameTheAttribute) {
  const Shape m = f32({3, 3}), v = f32({3}), c = Shape::array(ElementType::kC64, {3, 3});
  const Letters routines[] = {
      {{"lapack_spotrf_ffi", {m}, {m, kInfo}, ""}, {{"uplo", 'L'}}},
      {{"lapack_strsm_ffi", {m, m}, {m}, ""}, {{"side", 'L'}, {"uplo", 'U'}, {"trans_x", 'N'}, {"diag", 'N'}}},
      {{"lapack_sormqr_ffi", {m, v, m}, {m}, ""}, {{"side", 'L'}, {"trans", 'T'}}},
      {{"lapack_ssyevd_ffi", {m}, {m, v, kInfo}, ""}, {{"mode", 'V'}, {"uplo", 'L'}}},
      {{"lapack_ssytrd_ffi", {m}, {m, v, f32({2}), f32({2}), kInfo}, ""}, {{"uplo", 'U'}}},
      {{"lapack_sgesdd_ffi", {m}, {m, v, m, m, kInfo}, ""}, {{"mode", 'S'}}},
      {{"lapack_sgesvd_ffi", {m}, {m, v, m, m, kInfo}, ""}, {{"mode", 'A'}}},
      {{"lapack_sgeev_ffi", {m}, {v, v, c, c, kInfo}, ""}, {{"compute_left", 'V'}, {"compute_right", 'N'}}},
      {{"lapack_sgees_ffi", {m}, {m, m, v, v, kInfo, kInfo}, ""}, {{"mode", 'V'}, {"sort", 'N'}}},
  };
  for (const Letters& routine : routines) {
    Call call = routine.call;
    call.attributes = written(routine.right, routine.right.size(), 0);
    EXPECT_EQ(answer(call), "OK") << call.target;
    for (size_t wrong = 0; wrong < routine.right.size(); ++wrong) {
      for (const int value : {0, int{'X'}, int{'l'}, 200}) {
        call.attributes = written(routine.right, wrong, value);
        const std::string error = answer(call);
        EXPECT_EQ(error.find("INVALID_ARGUMENT"), 0u) << error;
        for (const std::string& part : {call.target, "attribute " + routine.right[wrong].first,
                                        "got " + std::to_string(value), std::string("wanted ")})
          EXPECT_NE(error.find(part), std::string::npos) << error;
      }
    }
  }
}

TEST(Lapack, MoreReflectorsThanRowsAreAnError) {
  const std::string letters = "side = 76 : ui8, trans = 78 : ui8";
  EXPECT_EQ(answer({"lapack_sormqr_ffi", {f32({4, 97}), f32({97}), f32({4, 2})}, {f32({4, 2})}, letters}),
            "INVALID_ARGUMENT: custom-call 'c': custom call 'lapack_sormqr_ffi': operand 1 has too many reflectors' "
            "scalars; got 97; wanted at most 4, for operand 0 has 4 rows and 97 columns");
  EXPECT_EQ(answer({"lapack_sormqr_ffi", {f32({4, 97}), f32({4}), f32({4, 2})}, {f32({4, 2})}, letters}), "OK");
  EXPECT_NE(answer({"lapack_sorgqr_ffi", {f32({4, 2}), f32({3})}, {f32({4, 2})}, ""}).find("at most 2"),
            std::string::npos);
}

/// The workspace would have more elements than 32 bits count. LAPACK would print an error on stdout.
TEST(Lapack, RowsTooLongToCountTheirWorkspaceAreAnError) {
  constexpr int64_t kLong = int64_t{1} << 26;
  const std::string error = answer({"lapack_sgeqrf_ffi", {f32({0, 1, kLong})}, {f32({0, 1, kLong}), f32({0, 1})}, ""});
  EXPECT_EQ(error.find("UNIMPLEMENTED: custom-call 'c': custom call 'lapack_sgeqrf_ffi': too large for LAPACK"), 0u)
      << error;
}

TEST(Lapack, RowsThatTheMatrixHasNotAreAnError) {
  const auto gehrd = [](int n, int low, int high) {
    const Shape m = f32({n, n});
    return answer({"lapack_sgehrd_ffi",
                   {m},
                   {m, f32({std::max(n - 1, 0)}), kInfo},
                   "low = " + std::to_string(low) + " : i32, high = " + std::to_string(high) + " : i32"});
  };
  EXPECT_EQ(gehrd(3, 1, 3), "OK");
  EXPECT_EQ(gehrd(0, 1, 0), "OK");
  EXPECT_EQ(gehrd(3, 2, 2), "OK");
  const std::pair<int, int> wrong[] = {{0, 3}, {1, 4}, {3, 2}, {4, 3}, {1, 0}, {1, -1}};
  for (const auto& [low, high] : wrong)
    EXPECT_NE(gehrd(3, low, high).find("attributes low and high"), std::string::npos) << low << " " << high;
}

TEST(Lapack, EveryResultHasAsManyMatricesAsTheOperand) {
  const Shape m = f32({2, 3, 3}), v = f32({2, 3}), info = Shape::array(ElementType::kS32, {2});
  const std::string letters = "mode = 86 : ui8, sort = 78 : ui8";
  const auto call = [&](const Shape& imaginary) {
    Call c{"lapack_sgees_ffi", {m}, {m, m, v, imaginary, info, info}, letters};
    return answer(c);
  };
  EXPECT_EQ(call(v), "OK");
  EXPECT_NE(call(f32({1, 3})).find("don't fit each other"), std::string::npos);
}

/// uplo selects the triangle that is read. The other one may contain anything.
TEST(Lapack, WhatIsNotReadMayBeNaN) {
  const std::string text =
      "HloModule m\n\nENTRY %main (x: f32[2,2]) -> (f32[2,2], f32[2], s32[]) {\n  %x = f32[2,2] parameter(0)\n"
      "  ROOT %c = (f32[2,2]{0,1}, f32[2]{0}, s32[]) custom-call(%x), custom_call_target=\"lapack_ssyevd_ffi\", "
      "operand_layout_constraints={f32[2,2]{0,1}}, api_version=API_VERSION_TYPED_FFI, "
      "backend_config={mode = 86 : ui8, uplo = 76 : ui8}\n}\n";
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  const float nan = std::nanf("");
  const StatusOr<Literal> value = hlo::evaluate(*module, {Literal::array<float>({2, 2}, {2, nan, 0, 3})});
  ASSERT_TRUE(value.ok()) << value.status().to_string();
  EXPECT_TRUE(value->elements()[1].identical(Literal::array<float>({2}, {2, 3})));
  EXPECT_EQ(value->elements()[2].data<int32_t>()[0], 0);
}

void store(Literal& x, int64_t k, double value) {
  visit_element_type(
      x.shape().element_type(),
      [&]<typename T>() {
        if constexpr (std::is_floating_point_v<T> || is_complex(element_type_of<T>))
          x.data<T>()[static_cast<size_t>(k)] = T(value);
      },
      [] {});
}

/// One NaN in column 1 of a 4 x 3 matrix: earlier columns don't depend on it, nor do rows of R above it.
TEST(Lapack, NaNSpreadsToWhatDependsOnItAndNoFurther) {
  for (const char* type : {"f32", "f64", "c64", "c128"}) {
    const std::string t = type, letter = t == "f32" ? "s" : t == "f64" ? "d" : t == "c64" ? "c" : "z";
    const std::string text = "HloModule m\n\nENTRY %main (x: " + t + "[4,3]) -> (" + t + "[4,3], " + t +
                             "[3]) {\n  %x = " + t + "[4,3] parameter(0)\n  ROOT %c = (" + t + "[4,3]{0,1}, " + t +
                             "[3]{0}) custom-call(%x), custom_call_target=\"lapack_" + letter +
                             "geqrf_ffi\", operand_layout_constraints={" + t +
                             "[4,3]{0,1}}, api_version=API_VERSION_TYPED_FFI\n}\n";
    const StatusOr<hlo::Module> module = hlo::parse_module(text);
    ASSERT_TRUE(module.ok()) << module.status().to_string();
    for (int64_t row = 0; row < 4; ++row) {
      Literal x = sample(Shape::array(module->entry->parameter_shapes()[0].element_type(), {4, 3}), 1);
      store(x, row * 3 + 1, std::nan(""));
      const StatusOr<Literal> value = hlo::evaluate(*module, {x});
      ASSERT_TRUE(value.ok()) << value.status().to_string();
      for (int64_t k = 0; k < 12; ++k)
        EXPECT_EQ(std::isnan(element_as_double(value->elements()[0], k)), k % 3 == 1 || (k % 3 == 2 && k / 3 >= 1))
            << t << ", element " << k;
      for (int64_t k = 0; k < 3; ++k) EXPECT_EQ(std::isnan(element_as_double(value->elements()[1], k)), k >= 1) << t;
    }
  }
}

/// Columns of Q from the first reflector with NaN or an infinity on. R, above the reflectors, isn't read.
TEST(Lapack, ProductsOfReflectorsLoseNoNaN) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const char letter : {'s', 'd', 'c', 'z'}) {
    const ElementType type = letter == 's'   ? ElementType::kF32
                             : letter == 'd' ? ElementType::kF64
                             : letter == 'c' ? ElementType::kC64
                                             : ElementType::kC128;
    const Shape matrix = Shape::array(type, {4, 3}), scalars = Shape::array(type, {3});
    const std::string name = std::string("lapack_") + letter + (is_complex(type) ? "ungqr_ffi" : "orgqr_ffi");
    const hlo::Module module = program({name, {matrix, scalars}, {matrix}, ""});
    ASSERT_NE(module.entry, nullptr);
    const auto check = [&](const Literal& a, const Literal& taus, int64_t first) {
      const StatusOr<Literal> q = hlo::evaluate(module, {a, taus});
      ASSERT_TRUE(q.ok()) << q.status().to_string();
      for (int64_t k = 0; k < 12; ++k)
        EXPECT_EQ(std::isnan(element_as_double(*q, k)), k % 3 >= first) << name << ", element " << k;
    };
    const Literal a = sample(matrix, 1), taus = sample(scalars, 2);
    check(a, taus, 3);
    for (const double value : {std::nan(""), kInfinity, -kInfinity}) {
      for (int64_t row = 0; row < 4; ++row) {
        for (int64_t column = 0; column < 3; ++column) {
          Literal changed = a;
          store(changed, row * 3 + column, value);
          check(changed, taus, row > column ? column : 3);
        }
      }
      for (int64_t k = 0; k < 3; ++k) {
        Literal changed = taus;
        store(changed, k, value);
        check(a, changed, k);
      }
    }
  }
}

}  // namespace
}  // namespace hilo::cpu
