// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/callback.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

Array x() { return numpy::array({-3.0f, 0.5f, 2.0f}); }

template <typename F>
std::string printed(F&& f) {
  testing::internal::CaptureStdout();
  try {
    f();
  } catch (...) {
    testing::internal::GetCapturedStdout();  // so that the next call can capture again
    throw;
  }
  return testing::internal::GetCapturedStdout();
}

TEST(DebugPrint, ShowsValuesUnderEveryTransformation) {
  const auto f = [](Array a) {
    debug::print("a = {}, twice {1:.2f} {{}}", a, a * 2.0f);
    return a * a;
  };
  const std::string line = "a = 1.5, twice 3.00 {}\n";
  EXPECT_EQ(printed([&] { f(1.5f); }), line);
  EXPECT_EQ(printed([&] { jit(f)(1.5f); }), line);
  EXPECT_EQ(printed([&] { grad(f)(1.5f); }), line);
  EXPECT_EQ(printed([&] { jit(grad(jit(f)))(1.5f); }), line);
  EXPECT_EQ(printed([&] { jvp(f, std::tuple(Array(1.5f)), std::tuple(Array(1.0f))); }), line);
  const std::string rows = "a = 1.5, twice 3.00 {}\na = -1.0, twice -2.00 {}\n";
  EXPECT_EQ(printed([&] { vmap(f)(numpy::array({1.5f, -1.0f})); }), rows);
  EXPECT_EQ(printed([&] { jit(vmap(grad(f)))(numpy::array({1.5f, -1.0f})); }), rows);
}

TEST(DebugPrint, TakesArgumentsByName) {
  const auto f = [](Array a) {
    debug::print("a = {a}, {{a}} and {twice:.2f}, {a}", {{"a", a}, {"twice", a * 2.0f}});
    return a;
  };
  EXPECT_EQ(printed([&] { f(1.5f); }), "a = 1.5, {a} and 3.00, 1.5\n");
  EXPECT_EQ(printed([&] { jit(f)(1.5f); }), "a = 1.5, {a} and 3.00, 1.5\n");
  const std::string text = error_of([] { debug::print("{b}", {{"a", Array(1.0f)}}); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("no argument has the name 'b'"), std::string::npos) << text;
}

TEST(DebugPrint, ComesByOncePerIteration) {
  const auto loop = [](Array a) {
    const auto step = [](Array i, Array c) {
      debug::print("{}: {}", i, c);
      return c + 1.0f;
    };
    return lax::fori_loop(0, 3, step, a);
  };
  EXPECT_EQ(printed([&] { jit(loop)(5.0f); }), "0: 5.0\n1: 6.0\n2: 7.0\n");
  EXPECT_EQ(printed([&] { jit(grad(loop))(5.0f); }), "0: 5.0\n1: 6.0\n2: 7.0\n");
  const auto branch = jit([](Array a) {
    const auto say = [](const char* text) {
      return [text](Array b) {
        debug::print(text);
        return b;
      };
    };
    return lax::cond(a > 0.0f, say("up"), say("down"), a);
  });
  EXPECT_EQ(printed([&] { branch(1.0f), branch(-1.0f); }), "up\ndown\n");
}

TEST(DebugPrint, IsNotSaidAgainByWhatACheckpointComputesAgain) {
  const auto f = checkpoint([](Array a) {
    debug::print("once {}", a);
    return numpy::sin(numpy::sin(a));
  });
  EXPECT_EQ(printed([&] { jit(grad(f))(1.5f); }), "once 1.5\n");
  EXPECT_EQ(printed([&] { grad(f)(1.5f); }), "once 1.5\n");
}

TEST(DebugPrint, RefusesFormatsThatDoNotFit) {
  const auto refused = [](const auto& f) { return error_of(f, StatusCode::kInvalidArgument); };
  const std::string missing = refused([] { debug::print("{} {}", Array(1.0f)); });
  EXPECT_NE(missing.find("debug::print (callback_test.cc:"), std::string::npos) << missing;
  EXPECT_NE(missing.find("argument 1 is missing, 1 were given"), std::string::npos) << missing;
  refused([] { debug::print("{x}", Array(1.0f)); });
  refused([] { debug::print("{", Array(1.0f)); });
  refused([] { debug::print("}", Array(1.0f)); });
  refused([] { debug::print("{:.2f}", x()); });
  refused([] { debug::print("{:q}", Array(1.0f)); });
}

TEST(DebugCallback, GetsTreesWithValues) {
  std::vector<float> seen;
  const auto f = [&](Array a) {
    debug::callback([&](const std::pair<Array, Array>& p) { seen.push_back((p.first + p.second).item<float>()); },
                    std::pair<Array, Array>(a, a * 10.0f));
    return a;
  };
  jit(f)(2.0f);
  jit(vmap(f))(numpy::array({1.0f, 3.0f}));
  EXPECT_EQ(seen, (Floats{22, 11, 33}));
  const auto ordered = [](Array a) {
    debug::callback([](Array) {}, {.ordered = true}, a);
    return a;
  };
  const std::string text = error_of([&] { vmap(ordered)(x()); }, StatusCode::kUnimplemented);
  EXPECT_NE(text.find("Cannot `vmap` ordered"), std::string::npos) << text;
}

/// A sine that runs on the host.
Array host_sine(const Array& a) {
  std::vector<float> out = a.to_vector<float>();
  for (float& v : out) v = std::sin(v);
  return Array::from_vector(out, {a.shape().begin(), a.shape().end()});
}

TEST(PureCallback, ComputesOnTheHost) {
  const auto f = [](Array a) { return pure_callback(host_sine, ShapeDtypeStruct({3}, ElementType::kF32), a) * 2.0f; };
  const Floats wanted = (numpy::sin(x()) * 2.0f).to_vector<float>();
  for (const Array& got : {f(x()), jit(f)(x())}) {
    for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(got.to_vector<float>()[i], wanted[i], 1e-6);
  }
  const auto tree = [](Array a) {
    const std::pair<Array, std::vector<Array>> like(a, {numpy::arange(2)});
    return pure_callback([](Array v) { return std::pair(v + 1.0f, std::vector<Array>{numpy::arange(2)}); }, like, a);
  };
  const auto [sum, list] = jit(tree)(x());
  EXPECT_EQ(sum.to_vector<float>(), (Floats{-2, 1.5f, 3}));
  EXPECT_EQ(list[0].to_vector<int>(), (std::vector<int>{0, 1}));
}

TEST(PureCallback, BatchesAsItIsTold) {
  std::vector<std::string> shapes;
  const auto with = [&](VmapMethod method) {
    shapes.clear();
    const auto f = [&](Array a, Array b) {
      const auto host = [&](Array p, Array q) {
        shapes.push_back(p.aval_shape().to_string() + q.aval_shape().to_string());
        return p + q;
      };
      return pure_callback(host, ShapeDtypeStruct({}, ElementType::kF32), PureCallbackOptions{.vmap_method = method}, a,
                           b);
    };
    return jit(vmap(f, {0, kNoAxis}))(x(), 1.0f).to_vector<float>();
  };
  const Floats wanted = {-2, 1.5f, 3};
  EXPECT_EQ(with(VmapMethod::kSequential), wanted);
  EXPECT_EQ(shapes, (std::vector<std::string>(3, "f32[]f32[]")));
  EXPECT_EQ(with(VmapMethod::kExpandDims), wanted);
  EXPECT_EQ(shapes, (std::vector<std::string>{"f32[3]f32[1]"}));
  EXPECT_EQ(with(VmapMethod::kBroadcastAll), wanted);
  EXPECT_EQ(shapes, (std::vector<std::string>{"f32[3]f32[3]"}));
  const std::string text = error_of([&] { with(VmapMethod::kNone); }, StatusCode::kUnimplemented);
  EXPECT_NE(text.find("vmap_method"), std::string::npos) << text;
}

TEST(PureCallback, HasNoDerivativeButTakesOne) {
  const auto bare = [](Array a) { return pure_callback(host_sine, ShapeDtypeStruct({}, ElementType::kF32), a); };
  const std::string text = error_of([&] { grad(bare)(1.0f); }, StatusCode::kUnimplemented);
  EXPECT_NE(text.find("Pure callbacks do not support JVP"), std::string::npos) << text;
  const auto f = custom_jvp(bare).defjvps([](Array t, Array, Array a) { return numpy::cos(a) * t; });
  EXPECT_NEAR(jit(grad(f))(1.0f).item<float>(), std::cos(1.0f), 1e-6);
}

TEST(PureCallback, SaysWhatTheFunctionGotWrong) {
  const auto f = [](Array a) {
    return pure_callback([](Array v) { return v; }, ShapeDtypeStruct({2}, ElementType::kF32), a);
  };
  for (const auto& run : std::vector<std::function<void()>>{[&] { f(x()); }, [&] { jit(f)(x()); }}) {
    const std::string text = error_of(run, StatusCode::kInvalidArgument);
    EXPECT_NE(text.find("got f32[3], wanted f32[2]"), std::string::npos) << text;
  }
  const auto throws = [](Array a) {
    return pure_callback(
        [](Array v) -> Array {
          throw std::runtime_error("no luck");
          return v;
        },
        ShapeDtypeStruct({3}, ElementType::kF32), a);
  };
  const std::string text = error_of([&] { jit(throws)(x()); }, StatusCode::kInternal);
  EXPECT_NE(text.find("no luck"), std::string::npos) << text;
}

TEST(IoCallback, IsCalledOnceEachTimeItsProgramRuns) {
  int count = 0;
  const auto f = jit([&](Array a) {
    const auto next = [&](Array) { return Array(static_cast<float>(++count)) + numpy::zeros({}); };
    const Array first =
        io_callback(next, ShapeDtypeStruct({}, ElementType::kF32), IoCallbackOptions{.ordered = true}, a);
    return first + 100.0f * io_callback(next, ShapeDtypeStruct({}, ElementType::kF32), a);
  });
  EXPECT_EQ(f(0.0f).item<float>(), 201);
  EXPECT_EQ(f(0.0f).item<float>(), 403);
  int calls = 0;
  const auto counted = checkpoint([&](Array a) {
    const auto next = [&](Array) { return Array(static_cast<float>(++calls)) + numpy::zeros({}); };
    return numpy::sin(a * io_callback(next, ShapeDtypeStruct({}, ElementType::kF32), stop_gradient(a)));
  });
  jit(grad(counted))(1.0f);
  EXPECT_EQ(calls, 1);
  const auto ordered = [](Array a) {
    return io_callback([](Array v) { return v; }, ShapeDtypeStruct({}, ElementType::kF32),
                       IoCallbackOptions{.ordered = true}, a);
  };
  const std::string text = error_of([&] { vmap(ordered)(x()); }, StatusCode::kUnimplemented);
  EXPECT_NE(text.find("Cannot `vmap` ordered"), std::string::npos) << text;
}

TEST(EvalShape, TakesShapesWithoutArrays) {
  const Array product = eval_shape([](Array a, Array b) { return numpy::matmul(a, b); },
                                   ShapeDtypeStruct({200000, 1000}, ElementType::kBf16),
                                   ShapeDtypeStruct({1000, 300000}, ElementType::kBf16));
  EXPECT_EQ(product.aval_shape().to_string(), "bf16[200000,300000]");
  error_of([] { eval_shape([](Array a) { return a; }, ShapeDtypeStruct({-1}, ElementType::kF32)); },
           StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo
