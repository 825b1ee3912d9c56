// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/convolution.h"

#include <algorithm>
#include <functional>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using Sizes = std::vector<int64_t>;
using Function = std::function<Array(const Array&, const Array&)>;

struct Golden {
  const char* name;
  Sizes shape;
  std::vector<float> values;
};
const Golden kGolden[] = {
#include "tests/lax/convolution_golden.inc"
};

/// Integers from -5 to 5.
Array whole(const Sizes& sizes, int64_t seed = 0) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>((i * 7 + 3 * seed) % 11 - 5));
  return Array::from_vector(values, sizes);
}

void expect_recorded(const std::string& name, const Array& got) {
  const auto golden = std::ranges::find_if(kGolden, [&](const Golden& g) { return g.name == name; });
  ASSERT_NE(golden, std::end(kGolden)) << name;
  EXPECT_EQ(Sizes(got.shape().begin(), got.shape().end()), golden->shape) << name;
  EXPECT_EQ(got.to_vector<float>(), golden->values) << name;
}

/// Checks the value, also under jit, and the cotangents of both operands.
void expect_with_gradients(const std::string& name, const Function& f, const Array& lhs, const Array& rhs) {
  const Array out = f(lhs, rhs);
  expect_recorded(name, out);
  expect_recorded(name, jit(f)(lhs, rhs));
  const Array ct = whole(Sizes(out.shape().begin(), out.shape().end()), 2);
  const auto paired = [&](const Array& x, const Array& k) { return numpy::sum(f(x, k) * ct); };
  expect_recorded(name + " to lhs", jit(grad([&](const Array& x) { return paired(x, rhs); }))(lhs));
  expect_recorded(name + " to rhs", jit(grad([&](const Array& k) { return paired(lhs, k); }))(rhs));
}

Sizes with_axis(Sizes sizes, int64_t axis) {
  if (axis >= 0) sizes.insert(sizes.begin() + axis, 2);
  return sizes;
}

void expect_with_vmaps(const std::string& name, const Function& f, const Sizes& lhs, const Sizes& rhs) {
  const Array one_lhs = whole(lhs), one_rhs = whole(rhs, 1);
  expect_recorded(name + " over lhs",
                  vmap([&](const Array& x) { return f(x, one_rhs); }, {1})(whole(with_axis(lhs, 1))));
  expect_recorded(name + " over rhs",
                  vmap([&](const Array& k) { return f(one_lhs, k); }, {2})(whole(with_axis(rhs, 2), 1)));
  expect_recorded(name + " over both", vmap(f, {2, 0})(whole(with_axis(lhs, 2)), whole(with_axis(rhs, 0), 1)));
}

Function general(const Sizes& strides, const lax::Padding& padding, const std::optional<Sizes>& lhs_dilation = {},
                 const std::optional<Sizes>& rhs_dilation = {},
                 const lax::ConvGeneralDilatedDimensionNumbers& numbers = {}, int64_t features = 1,
                 int64_t batches = 1) {
  return [=](const Array& lhs, const Array& rhs) {
    return lax::conv_general_dilated(lhs, rhs, strides, padding, lhs_dilation, rhs_dilation, numbers, features,
                                     batches);
  };
}

TEST(LaxConvolution, GivesJaxsValuesAndGradients) {
  expect_with_gradients("same", general({2, 2}, "SAME", {}, {}, {"NHWC", "HWIO", "NHWC"}), whole({1, 4, 5, 2}),
                        whole({3, 2, 2, 2}, 1));
  expect_with_gradients("same lower", general({2}, "SAME_LOWER"), whole({1, 2, 5}), whole({2, 2, 4}, 1));
  expect_with_gradients("valid", general({1, 2}, "VALID"), whole({2, 1, 3, 4}), whole({2, 1, 2, 2}, 1));
  expect_with_gradients("dilated", general({2}, {{2, -1}}, Sizes{3}, Sizes{2}), whole({1, 2, 4}), whole({2, 2, 3}, 1));
  expect_with_gradients("features", general({1}, {{1, 0}}, {}, {}, {}, 2), whole({2, 4, 4}), whole({4, 2, 2}, 1));
  expect_with_gradients("batches", general({2}, {{0, 1}}, {}, {}, {}, 1, 2), whole({4, 2, 4}), whole({2, 2, 2}, 1));
  expect_with_gradients("mixed layout", general({1}, "SAME", {}, {}, {"WNC", "OWI", "CWN"}), whole({4, 2, 1}),
                        whole({2, 3, 1}, 1));
}

TEST(LaxConvolution, GivesJaxsValuesUnderVmap) {
  expect_with_vmaps("plain", general({1}, "VALID"), {1, 2, 3}, {2, 2, 2});
  expect_with_vmaps("features", general({1}, "VALID", {}, {}, {}, 2), {1, 4, 2}, {2, 2, 2});
  expect_with_vmaps("batches", general({1}, "VALID", {}, {}, {}, 1, 2), {2, 1, 3}, {2, 1, 2});
}

TEST(LaxConvolution, HasJaxsWrappers) {
  expect_recorded("conv", lax::conv(whole({1, 2, 3, 3}), whole({2, 2, 2, 2}, 1), {1, 1}, "SAME"));
  expect_recorded("general padding", lax::conv_with_general_padding(whole({1, 1, 4}), whole({1, 1, 2}, 1), {1},
                                                                    {{1, 2}}, Sizes{2}, Sizes{3}));
  const Array x = whole({1, 3, 2}), k = whole({4, 2, 2}, 1);
  expect_recorded("transposed SAME", lax::conv_transpose(x, k, {2}, "SAME"));
  expect_recorded("transposed VALID", lax::conv_transpose(x, k, {2}, "VALID"));
  expect_recorded("transposed long stride", lax::conv_transpose(x, k, {5}, "SAME"));
  expect_recorded("transposed pairs", lax::conv_transpose(x, k, {2}, {{1, 2}}, {.rhs_dilation = Sizes{2}}));
  expect_recorded("transposed consistent", lax::conv_transpose(x, k, {2}, {{1, 2}}, {.use_consistent_padding = true}));
  expect_recorded("transposed kernel", lax::conv_transpose(x, k, {2}, "SAME", {.transpose_kernel = true}));
}

TEST(LaxConvolution, MapsOverNothing) {
  const Array none = numpy::zeros({0, 1, 2, 3});
  const Array out = vmap([](const Array& x) { return lax::conv(x, whole({2, 2, 2}), {1}, "VALID"); })(none);
  EXPECT_EQ(out.aval_shape(), Shape::array(ElementType::kF32, {0, 1, 2, 2}));
}

TEST(LaxConvolution, HasZeroGradientWhereNoWindowFits) {
  const Array x = whole({1, 1, 2}), k = whole({1, 1, 3});
  const auto total = [&](const Array& kernel) { return numpy::sum(lax::conv(x, kernel, {1}, "VALID")); };
  EXPECT_EQ(grad(total)(k).to_vector<float>(), (std::vector<float>{0, 0, 0}));
}

TEST(LaxConvolution, AccumulatesInThePreferredType) {
  const Array x = Array::from_vector<int8_t>({100, 100}, {1, 1, 2}), k = Array::from_vector<int8_t>({2, 3}, {1, 1, 2});
  const Array out = lax::conv(x, k, {1}, "VALID", {lax::Precision::HIGHEST, ElementType::kS32});
  EXPECT_EQ(out.dtype(), ElementType::kS32);
  EXPECT_EQ(out.item<int>(), 500);
  EXPECT_NE(error_of([&] { lax::conv(x, k, {1}, "VALID", {.preferred_element_type = ElementType::kPred}); },
                     StatusCode::kInvalidArgument)
                .find("preferred_element_type: got pred for operands of s8"),
            std::string::npos);
}

TEST(LaxConvolution, SaysWhatIsWrong) {
  const Array x = whole({1, 2, 4}), k = whole({2, 2, 3});
  const auto refused = [&](const std::string& part, const std::function<void()>& f) {
    const std::string error = error_of(f, StatusCode::kInvalidArgument);
    EXPECT_NE(error.find(part), std::string::npos) << error;
    EXPECT_NE(error.find("convolution_test.cc:"), std::string::npos) << error;
  };
  refused("padding: got 'EVEN', wanted SAME", [&] { lax::conv(x, k, {1}, "EVEN"); });
  refused("window_strides: got 2 values, wanted 1", [&] { lax::conv(x, k, {1, 1}, "SAME"); });
  refused("window_strides: got [0], wanted", [&] { lax::conv(x, k, {0}, "SAME"); });
  refused("padding: -5_0 removes more than dimension 0 has, 4", [&] { lax::conv(x, k, {1}, {{-5, 0}}); });
  refused("padding by name can't be combined with lhs_dilation", [&] { general({1}, "SAME", Sizes{2})(x, k); });
  refused("'NC' has 2 letters, wanted 3", [&] { general({1}, "SAME", {}, {}, {"NC", "OIW", "NCW"})(x, k); });
  refused("'NNW' must have N once", [&] { general({1}, "SAME", {}, {}, {"NNW", "OIW", "NCW"})(x, k); });
  refused("the same spatial letters", [&] { general({1}, "SAME", {}, {}, {"NCH", "OIW", "NCW"})(x, k); });
  refused("the kernel's input features: got 2, wanted 1", [&] { general({1}, "SAME", {}, {}, {}, 2)(x, k); });
  refused("one rank, at least 2", [&] { lax::conv(x, whole({2, 2}), {1}, "SAME"); });
}

}  // namespace
}  // namespace hilo
