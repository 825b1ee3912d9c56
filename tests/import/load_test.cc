// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/load.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "hilo/base/files.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

constexpr char kDense[] = R"(
module @dense {
  func.func public @main(%x: tensor<3xf32>, %w: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.multiply %x, %w : tensor<3xf32>
    %1 = stablehlo.add %0, %x : tensor<3xf32>
    %2 = stablehlo.tanh %1 : tensor<3xf32>
    return %2 : tensor<3xf32>
  }
  func.func public @twice(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %0 = stablehlo.add %x, %x : tensor<f32>
    return %0, %x : tensor<f32>, tensor<f32>
  }
})";

/// All sizes are symbolic, except the last one of `w`.
constexpr char kOpen[] = R"(
module @open {
  func.func public @main(%x: tensor<?xf32>, %w: tensor<?x2xf32>, %s: tensor<f32>) -> tensor<2xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [0] x [0] : (tensor<?xf32>, tensor<?x2xf32>) -> tensor<2xf32>
    %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<2xf32>
    return %2 : tensor<2xf32>
  }
})";

/// x <- sin(x) * w, five times, in the form of JAX's scan: carry (counter, constant, x).
constexpr char kLoop[] = R"(
module @loop {
  func.func public @main(%x: tensor<f32>, %w: tensor<f32>) -> tensor<f32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %w, %iterArg_0 = %c, %iterArg_1 = %x) : tensor<f32>, tensor<i32>, tensor<f32>
     cond {
      %c_2 = stablehlo.constant dense<5> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg_0, %c_2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = func.call @body(%iterArg, %iterArg_1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg_0, %c_2 : tensor<i32>
      stablehlo.return %iterArg, %2, %1 : tensor<f32>, tensor<i32>, tensor<f32>
    }
    return %0#2 : tensor<f32>
  }
  func.func private @body(%w: tensor<f32>, %x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.sine %x : tensor<f32>
    %1 = stablehlo.multiply %0, %w : tensor<f32>
    return %1 : tensor<f32>
  }
})";

/// A file that is deleted at the end of the test.
class File {
 public:
  File(const std::string& name, std::string_view content)
      : path_(testing::TempDir() + std::to_string(getpid()) + "_" + name) {
    or_throw(write_file_atomic(path_, content, Durability::kCached));
  }
  ~File() { std::remove(path_.c_str()); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::vector<float> values(const Array& a) { return a.to_vector<float>(); }

void expect_near(const Array& got, const std::vector<double>& wanted) {
  const std::vector<double> values = got.to_vector<double>();
  ASSERT_EQ(values.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(values[i], wanted[i], 1e-5 * (1 + std::abs(wanted[i]))) << i;
}

const Array x3 = numpy::array({0.1, 0.2, 0.3});
const Array w3 = numpy::array({1.0, -2.0, 0.5});

TEST(Load, ComputesWhatTheFileSays) {
  const File file("dense.mlir", kDense);
  const auto dense = load(file.path());
  expect_near(dense(x3, w3), {std::tanh(0.2), std::tanh(-0.2), std::tanh(0.45)});
}

TEST(Load, StopsReadingWhatIsNoProgram) {
  error_of([] { load("/dev/zero"); }, StatusCode::kInvalidArgument);
  const File sparse("sparse.hlo", "HloModule m\n");
  ASSERT_EQ(::truncate(sparse.path().c_str(), off_t{3} << 30), 0);  // uses no disk space
  const std::string message = error_of([&] { load(sparse.path()); }, StatusCode::kInvalidArgument);
  EXPECT_NE(message.find("begins with 'HloModul'; wanted HLO text"), std::string::npos) << message;
}

TEST(Load, NamesInputsAndOutputs) {
  const File file("dense.mlir", kDense);
  const auto dense = load(file.path());
  EXPECT_EQ(dense.name(), "dense");
  ASSERT_EQ(dense.inputs().size(), 2u);
  EXPECT_EQ(dense.inputs()[1].shape.to_string(), "f32[3]");
  ASSERT_EQ(dense.outputs().size(), 1u);
  EXPECT_EQ(dense.outputs()[0].shape.to_string(), "f32[3]");
}

TEST(Load, SizesThatAModuleLeavesOpenAreThoseOfTheCall) {
  const File file("open.mlir", kOpen);
  const auto open = load(file.path());
  EXPECT_EQ(open.name(), "open");
  EXPECT_EQ(open.inputs()[1].type, "tensor<?x2xf32>");
  EXPECT_EQ(open.inputs()[2].shape.to_string(), "f32[]");
  EXPECT_EQ(open.outputs()[0].type, "f32[2]");
  for (const int64_t size : {1, 2, 7, 33}) {
    const auto sum = static_cast<double>(size * (size - 1) / 2);
    const Array x = numpy::arange(size).astype(numpy::float32);
    expect_near(open(x, numpy::ones({size, 2}), 2.0), {2 * sum, 2 * sum});
  }
  const auto slope = grad([&](const Array& x) { return numpy::sum(open(x, numpy::ones({3, 2}), 2.0)); })(x3);
  expect_near(slope, {4, 4, 4});
  const std::string rank = error_of([&] { open(x3, x3, 2.0); }, StatusCode::kInvalidArgument);
  EXPECT_NE(rank.find("argument 1: got f32[3], wanted tensor<?x2xf32>"), std::string::npos) << rank;
  const std::string sizes = error_of([&] { open(x3, numpy::ones({4, 2}), 2.0); }, StatusCode::kInvalidArgument);
  EXPECT_NE(sizes.find("3"), std::string::npos) << sizes;
  EXPECT_NE(sizes.find("4"), std::string::npos) << sizes;
}

TEST(Load, GradientIsThatOfTheSameLambda) {
  const File file("dense.mlir", kDense);
  const auto dense = load(file.path());
  const auto loss = [&](const Array& x, const Array& w) { return numpy::sum(dense(x, w)); };
  const auto same = [](const Array& x, const Array& w) { return numpy::sum(numpy::tanh(x * w + x)); };
  EXPECT_EQ(values(grad(loss)(x3, w3)), values(grad(same)(x3, w3)));
  EXPECT_EQ(values(grad<1>(loss)(x3, w3)), values(grad<1>(same)(x3, w3)));
}

TEST(Load, WorksUnderJitVmapAndJvp) {
  const File file("dense.mlir", kDense);
  const auto dense = load(file.path());
  EXPECT_EQ(values(jit(dense)(x3, w3)), values(dense(x3, w3)));
  const Array rows = numpy::stack({x3, w3});
  const Array mapped = vmap([&](const Array& x) { return dense(x, w3); })(rows);
  EXPECT_EQ(mapped.aval_shape().to_string(), "f32[2,3]");
  EXPECT_EQ(values(mapped[1]), values(dense(w3, w3)));
  const auto [y, dy] = jvp([&](const Array& x) { return dense(x, w3); }, std::tuple(x3), std::tuple(numpy::ones({3})));
  EXPECT_EQ(values(y), values(dense(x3, w3)));
  const auto slopes = values(grad([&](const Array& x) { return numpy::sum(dense(x, w3)); })(x3));
  expect_near(dy, {slopes.begin(), slopes.end()});
}

TEST(Load, IsOneCallInATrace) {
  const File file("dense.mlir", kDense);
  const auto dense = load(file.path());
  const std::string hlo = make_hlo([&](const Array& x) { return dense(x, x) + 1.0f; })(x3);
  EXPECT_NE(hlo.find(" call("), std::string::npos) << hlo;
  EXPECT_NE(hlo.find(" tanh("), std::string::npos) << hlo;
}

TEST(Load, TakesAFunctionOfTheModule) {
  const File file("dense.mlir", kDense);
  const auto twice = load<std::tuple<Array, Array>>(file.path(), {.function = "twice"});
  const auto [two, one] = twice(3);
  EXPECT_EQ(two.item<float>(), 6);
  EXPECT_EQ(one.item<float>(), 3);
  EXPECT_EQ(load<std::vector<Array>>(file.path(), {.function = "twice"})(1.5).size(), 2u);
}

TEST(Load, TakesTreesAsFlatLists) {
  const File file("dense.mlir", kDense);
  const auto dense = load(file.path());
  const std::map<std::string, Array> arguments = {{"a", x3}, {"b", w3}};
  EXPECT_EQ(values(dense(arguments)), values(dense(x3, w3)));
}

TEST(Load, ReadsHloText) {
  const File file("add.hlo", "HloModule add\nENTRY main { x = f32[2] parameter(0) ROOT y = f32[2] multiply(x, x) }\n");
  const auto square = load(file.path());
  EXPECT_EQ(values(grad([&](const Array& x) { return numpy::sum(square(x)); })(numpy::array({3.0, 4.0}))),
            (std::vector<float>{6, 8}));
}

/// c <- c * c * xs[i], 64 times, in the form of JAX's scan: the slices are read from a value that the loop passes on.
constexpr char kLoopOverRows[] = R"(
module @rows {
  func.func public @main(%xs: tensor<64x16384xf32>, %c0: tensor<16384xf32>) -> tensor<16384xf32> {
    %i0 = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%i = %i0, %x = %xs, %c = %c0) : tensor<i32>, tensor<64x16384xf32>, tensor<16384xf32>
     cond {
      %n = stablehlo.constant dense<64> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %row = stablehlo.dynamic_slice %x, %i, %z, sizes = [1, 16384] : (tensor<64x16384xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16384xf32>
      %v = stablehlo.reshape %row : (tensor<1x16384xf32>) -> tensor<16384xf32>
      %a = stablehlo.multiply %c, %c : tensor<16384xf32>
      %b = stablehlo.multiply %a, %v : tensor<16384xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %x, %b : tensor<i32>, tensor<64x16384xf32>, tensor<16384xf32>
    }
    return %0#2 : tensor<16384xf32>
  }
})";

TEST(Load, ReverseModeOfALoopStoresOnlyWhatIsDear) {
  const File file("rows.mlir", kLoopOverRows);
  const auto loop = load(file.path());
  const Array xs = numpy::ones({64, 16384});
  const auto loss = [&](const Array& c) { return numpy::sum(loop(xs, c)); };
  int64_t bytes = 0;
  const std::vector<SavedResidual> saved = saved_residuals(loss, numpy::ones({16384}));
  for (const SavedResidual& s : saved) bytes += s.source.starts_with("output of hilo.scan") ? s.shape.byte_size() : 0;
  EXPECT_EQ(bytes, 64 * (16384 + 1) * 4) << to_string(saved);  // carry and index, but no slices
  const std::vector<float> slopes = values(jit(grad(loss))(numpy::ones({16384})));
  EXPECT_TRUE(std::ranges::all_of(slopes, [](float slope) { return slope == std::ldexp(1.0f, 64); }));
}

TEST(Load, ReverseModeGoesThroughCountedLoops) {
  const File file("loop.mlir", kLoop);
  const auto loop = load(file.path());
  const auto same = [](Array x, const Array& w) {
    for (int i = 0; i < 5; ++i) x = numpy::sin(x) * w;
    return x;
  };
  expect_near(loop(0.5, 1.5), {same(0.5, 1.5).item<double>()});
  expect_near(grad(loop)(0.5, 1.5), {grad(same)(0.5, 1.5).item<double>()});
  expect_near(grad<1>(loop)(0.5, 1.5), {grad<1>(same)(0.5, 1.5).item<double>()});
}

TEST(Load, CallsMayTakeTuples) {
  const File file("tuples.hlo", R"(HloModule tuples
scaled {
  p = (f32[2], f32[]) parameter(0)
  x = f32[2] get-tuple-element(p), index=0
  s = f32[] get-tuple-element(p), index=1
  b = f32[2] broadcast(s), dimensions={}
  ROOT y = f32[2] multiply(x, b)
}
ENTRY main {
  x = f32[2] parameter(0)
  s = f32[] parameter(1)
  t = (f32[2], f32[]) tuple(x, s)
  ROOT y = f32[2] call(t), to_apply=scaled
})");
  const auto scaled = load(file.path());
  EXPECT_EQ(values(scaled(numpy::array({1.0, 2.0}), 3.0)), (std::vector<float>{3, 6}));
  const auto loss = [&](const Array& x, const Array& s) { return numpy::sum(scaled(x, s)); };
  EXPECT_EQ(grad<1>(loss)(numpy::array({1.0, 2.0}), 3.0).item<float>(), 3);
}

TEST(Load, RefusesOtherShapesNamingTheInput) {
  const File file("dense.mlir", kDense);
  const auto dense = load(file.path());
  const std::string wrong_shape = error_of([&] { dense(x3, numpy::ones({4})); }, StatusCode::kInvalidArgument);
  EXPECT_NE(wrong_shape.find("input 1"), std::string::npos) << wrong_shape;
  EXPECT_NE(wrong_shape.find("got f32[4], wanted f32[3]"), std::string::npos) << wrong_shape;
  const std::string too_few = error_of([&] { dense(x3); }, StatusCode::kInvalidArgument);
  EXPECT_NE(too_few.find("got 1 array; wanted 2 arrays"), std::string::npos) << too_few;
}

TEST(Load, RefusesAResultTreeOfAnotherSize) {
  const File file("dense.mlir", kDense);
  const std::string message =
      error_of([&] { load<std::tuple<Array, Array>>(file.path()); }, StatusCode::kInvalidArgument);
  EXPECT_NE(message.find("the program gives 1 array; its C++ result holds 2 arrays"), std::string::npos) << message;
}

TEST(Load, SaysWhichFileIsNotThere) {
  const std::string message = error_of([] { load("/nowhere/model.mlir"); }, StatusCode::kNotFound);
  EXPECT_NE(message.find("/nowhere/model.mlir"), std::string::npos) << message;
  EXPECT_NE(message.find("load_test.cc"), std::string::npos) << message;
}

}  // namespace
}  // namespace hilo
