// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/export_to.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "hilo/base/files.h"
#include "hilo/import/load.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/shape_dtype_struct.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

std::string temporary(const std::string& name) { return testing::TempDir() + std::to_string(getpid()) + "_" + name; }

struct Layer {
  Array w, b;
};

Array apply(const Layer& layer, const Array& x) { return numpy::tanh(numpy::matmul(x, layer.w) + layer.b); }

TEST(ExportTo, WhatIsWrittenIsWhatIsLoaded) {
  const Layer layer{numpy::array({{0.5, -1.0}, {2.0, 0.25}}), numpy::array({0.1, 0.2})};
  const Array x = numpy::array({{1.0, -0.5}});
  for (const char* ending : {".hlo", ".txt", ".pb", ".mlir", ".mlirbc"}) {
    const std::string path = temporary(std::string("layer") + ending);
    export_to(path, apply, layer, x);
    const auto loaded = load(path);
    EXPECT_EQ(loaded(layer, x).to_vector<float>(), apply(layer, x).to_vector<float>()) << ending;
    const auto loss = [&](const Layer& l) { return numpy::sum(loaded(l, x)); };
    const auto same = [&](const Layer& l) { return numpy::sum(apply(l, x)); };
    EXPECT_EQ(grad(loss)(layer).w.to_vector<float>(), grad(same)(layer).w.to_vector<float>()) << ending;
    std::remove(path.c_str());
  }
}

TEST(ExportTo, CapturedArraysAreConstants) {
  const Layer layer{numpy::array({{0.5, -1.0}, {2.0, 0.25}}), numpy::array({0.1, 0.2})};
  const Array x = numpy::array({{1.0, -0.5}});
  const auto inner = jit([&](const Array& y) { return apply(layer, y); });
  for (const char* ending : {".hlo", ".pb", ".mlir", ".mlirbc"}) {
    const std::string path = temporary(std::string("closed") + ending);
    export_to(path, [&](const Array& y) { return inner(y) * layer.b; }, ShapeDtypeStruct({1, 2}, float32));
    const auto loaded = load(path);
    EXPECT_EQ(loaded(x).to_vector<float>(), (apply(layer, x) * layer.b).to_vector<float>()) << ending;
    std::remove(path.c_str());
  }
}

TEST(ExportTo, RefusesAValueOfATransformationAroundIt) {
  const std::string path = temporary("leaked.hlo");
  const auto f = [&](const Array& w) {
    export_to(path, [&](const Array& x) { return x * w; }, ShapeDtypeStruct({2}, float32));
    return w;
  };
  error_of([&] { jit(f)(numpy::ones({2})); }, StatusCode::kFailedPrecondition);
  EXPECT_FALSE(file_exists(path));
}

TEST(ExportTo, TakesTypesInPlaceOfArrays) {
  const std::string path = temporary("sum.hlo");
  export_to(path, [](const Array& x) { return numpy::sum(x); }, Aval{Shape::array(ElementType::kF32, {3})});
  EXPECT_EQ(load(path)(numpy::array({1.0, 2.0, 4.0})).item<float>(), 7);
  std::remove(path.c_str());
}

TEST(ExportTo, RefusesOtherEndings) {
  const std::string path = temporary("layer.onnx");
  const std::string message =
      error_of([&] { export_to(path, apply, Layer{numpy::ones({1, 1}), numpy::ones({1})}, numpy::ones({1, 1})); },
               StatusCode::kUnimplemented);
  EXPECT_NE(message.find("wanted .hlo, .txt, .pb, .mlir or .mlirbc"), std::string::npos) << message;
  EXPECT_FALSE(file_exists(path));
}

}  // namespace
}  // namespace hilo
