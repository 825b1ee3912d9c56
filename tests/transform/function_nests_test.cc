// SPDX-License-Identifier: Apache-2.0
// Every pair and triple of transformations over functions of every kind, compared with plain arithmetic on doubles.
// Derivatives are compared with central differences, vmap with a loop. Every function maps f64[3] to some array, so
// transformations compose freely and the same code compiles once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/flags.h"
#include "hilo/client/platform_name.h"
#include "hilo/lax/custom_solve.h"
#include "hilo/lax/map.h"
#include "hilo/nn/nn.h"
#include "hilo/numpy/numpy.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

using Vector = std::vector<double>;
using Function = std::function<Array(const Array&)>;
/// A reference function: its value at x, where everything under stop_gradient is evaluated at `frozen`.
using Meaning = std::function<Vector(const Vector& x, const Vector& frozen)>;

constexpr int64_t kSize = 3;
const Vector kPoint = {0.6, -0.35, 1.2};

// ---- functions ------------------------------------------------------------------------------------------------------

struct Row {
  const char* name;
  Array (*f)(const Array& x);
  Vector (*meaning)(const Vector& x);
  bool reverses = true;  ///< false: reverse mode is rejected, as in JAX
};

Array integers(const std::vector<int32_t>& values) {
  return Array::from_vector(values, {static_cast<int64_t>(values.size())});
}
/// 2 at kPoint, 1 at the points that vmap adds.
Array position(const Array& x) { return numpy::astype(numpy::floor(x[0] * 2.0 + 1.0), ElementType::kS32); }
size_t position(const Vector& x) { return static_cast<size_t>(std::floor(x[0] * 2 + 1)); }

Vector map(const Vector& x, const std::function<double(double)>& f) {
  Vector y;
  for (double v : x) y.push_back(f(v));
  return y;
}
double sum(const Vector& x) { return x[0] + x[1] + x[2]; }

Array elementwise(const Array& x) {
  return numpy::sin(x) * numpy::exp(x * 0.3) + x * x * x / (1.0 + x * x) + numpy::maximum(x, -0.15) * x;
}
Vector elementwise(const Vector& x) {
  return map(
      x, [](double v) { return std::sin(v) * std::exp(0.3 * v) + v * v * v / (1 + v * v) + std::max(v, -0.15) * v; });
}

const Vector kMatrix = {0.5, -0.2, 0.7, 0.1, 0.9, -0.4, -0.6, 0.3, 0.8};

Array softmax(const Array& x) {
  const Array w = Array::from_vector(kMatrix, {kSize, kSize});
  return nn::softmax(numpy::matmul(w, x)) * numpy::matmul(x, w);
}
Vector softmax(const Vector& x) {
  Vector left(3), right(3);
  double total = 0;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      left[i] += kMatrix[i * 3 + j] * x[j];
      right[i] += x[j] * kMatrix[j * 3 + i];
    }
    total += std::exp(left[i]);
  }
  for (size_t i = 0; i < 3; ++i) right[i] *= std::exp(left[i]) / total;
  return right;
}

Array gather(const Array& x) {
  return numpy::take(x * x, integers({2, 0, 2})) * numpy::take(numpy::sin(x), position(x));
}
Vector gather(const Vector& x) {
  const double y = std::sin(x[position(x)]);
  return {x[2] * x[2] * y, x[0] * x[0] * y, x[2] * x[2] * y};
}

Array scatter(const Array& x) {
  hlo::ScatterAttributes s;
  s.inserted_window_dims = {0};
  s.scatter_dims_to_operand_dims = {0};
  s.index_vector_dim = 1;
  const Array sums = ops::scatter(numpy::cos(x), integers({2, 0, 2}), x * x, s, hlo::Opcode::kAdd);
  return ops::dynamic_update_slice(sums, numpy::exp(ops::slice(x, {{1, 2, 1}})), std::vector<Array>{position(x)});
}
Vector scatter(const Vector& x) {
  Vector y = {std::cos(x[0]) + x[1] * x[1], std::cos(x[1]), std::cos(x[2]) + x[0] * x[0] + x[2] * x[2]};
  y[position(x)] = std::exp(x[1]);
  return y;
}

Array sort(const Array& x) { return numpy::sort(x * x * x) * Array::from_vector(Vector{1, -2, 3}, {3}) * x; }
Vector sort(const Vector& x) {
  Vector y = map(x, [](double v) { return v * v * v; });
  std::sort(y.begin(), y.end());
  return {y[0] * x[0], -2 * y[1] * x[1], 3 * y[2] * x[2]};
}

Array reduce(const Array& x) {
  return numpy::max(x) * numpy::prod(x) + numpy::sum(x * x * x) + numpy::min(numpy::exp(x)) * numpy::mean(x);
}
Vector reduce(const Vector& x) {
  const double high = *std::max_element(x.begin(), x.end()), low = *std::min_element(x.begin(), x.end());
  return {high * x[0] * x[1] * x[2] + sum(map(x, [](double v) { return v * v * v; })) + std::exp(low) * sum(x) / 3};
}

Array cond(const Array& x) {
  const Array closed_over = numpy::cos(x);
  return lax::cond(
      numpy::sum(x) > 1.2, [&](const Array& y) { return y * numpy::sin(y) * closed_over; },
      [&](const Array& y) { return numpy::exp(y) * y[0] + closed_over[1]; }, x * x);
}
Vector cond(const Vector& x) {
  if (sum(x) > 1.2) return map(x, [](double v) { return v * v * std::sin(v * v) * std::cos(v); });
  return map(x, [&](double v) { return std::exp(v * v) * x[0] * x[0] + std::cos(x[1]); });
}

/// Three steps at kPoint, four at other points.
Array while_loop(const Array& x) {
  return lax::while_loop([](const Array& y) { return numpy::sum(y) < 5.2; },
                         [](const Array& y) { return y * 1.5 + 0.2 * numpy::sin(y); }, x);
}
Vector while_loop(const Vector& x) {
  Vector y = x;
  while (sum(y) < 5.2) y = map(y, [](double v) { return v * 1.5 + 0.2 * std::sin(v); });
  return y;
}

Array fori_loop(const Array& x) {
  return lax::fori_loop(
      0, 3, [&](const Array& i, const Array& y) { return y * numpy::cos(x) + numpy::take(x, i) * x; }, x * x);
}
Vector fori_loop(const Vector& x) {
  Vector y = map(x, [](double v) { return v * v; });
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = 0; k < 3; ++k) y[k] = y[k] * std::cos(x[k]) + x[i] * x[k];
  }
  return y;
}

Array scan(const Array& x) {
  const auto [last, all] = lax::scan(
      [&](const Array& c, const Array& xi) {
        const Array next = numpy::sin(c * xi + x);
        return std::pair(next, numpy::sum(next * next) * xi);
      },
      x * 0.5, x);
  return last * all;
}
Vector scan(const Vector& x) {
  Vector c = map(x, [](double v) { return v * 0.5; }), all;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = 0; k < 3; ++k) c[k] = std::sin(c[k] * x[i] + x[k]);
    all.push_back(sum(map(c, [](double v) { return v * v; })) * x[i]);
  }
  for (size_t k = 0; k < 3; ++k) c[k] *= all[k];
  return c;
}

/// A scan in a branch of a conditional; the scan's step contains a conditional.
Array scan_in_cond(const Array& x) {
  const auto loop = [](const Array& y) {
    return lax::scan(
               [](const Array& c, const Array& yi) {
                 const Array next = lax::cond(
                     yi > 0.0, [&](const Array& z) { return numpy::sin(z) * yi; }, [](const Array& z) { return z * z; },
                     c);
                 return std::pair(next, next);
               },
               y[2] * y[0], y)
        .second;
  };
  return lax::cond(numpy::sum(x) > 1.2, loop, [](const Array& y) { return y * y * y[1]; }, x + 0.3 * x * x);
}
Vector scan_in_cond(const Vector& x) {
  const Vector y = map(x, [](double v) { return v + 0.3 * v * v; });
  if (sum(x) <= 1.2) return map(y, [&](double v) { return v * v * y[1]; });
  Vector all;
  double c = y[2] * y[0];
  for (double v : y) all.push_back(c = v > 0 ? std::sin(c) * v : c * c);
  return all;
}

Array jit_inside(const Array& x) {
  static const auto* inner =
      new Jitted<Array (*)(const Array&)>(jit(static_cast<Array (*)(const Array&)>(elementwise)));
  return (*inner)(x) * (*inner)(x * 0.7);
}
Vector jit_inside(const Vector& x) {
  Vector y = elementwise(x);
  const Vector z = elementwise(map(x, [](double v) { return v * 0.7; }));
  for (size_t i = 0; i < 3; ++i) y[i] *= z[i];
  return y;
}

/// A custom rule that calls its function.
Array custom_rule(const Array& x) {
  static const auto* f = new auto(
      custom_jvp([](Array a) { return numpy::sin(a) * a; }).defjvp([](std::tuple<Array> p, std::tuple<Array> t) {
        const auto& [a] = p;
        return std::pair(custom_rule(a), std::get<0>(t) * (numpy::cos(a) * a + numpy::sin(a)));
      }));
  return (*f)(x);
}
Vector custom_rule(const Vector& x) {
  return map(x, [](double v) { return std::sin(v) * v; });
}

/// A checkpoint around a loop and a checkpoint inside it.
Array checkpointed(const Array& x) {
  const auto step = checkpoint([](Array c, Array xi) { return numpy::sin(c) * xi + c; },
                               {.policy = checkpoint_policies::dots_saveable});
  return checkpoint([&](Array c) {
    return lax::scan([&](Array k, Array xi) { return std::pair(step(k, xi), xi * xi); }, c, x).first;
  })(x);
}
Vector checkpointed(const Vector& x) {
  return map(x, [&](double v) {
    for (double xi : x) v = std::sin(v) * xi + v;
    return v;
  });
}

Array switched(const Array& x) {
  return lax::switch_(
      position(x),
      std::tuple([](Array a) { return a; }, [](Array a) { return a * a * a; }, [](Array a) { return numpy::sin(a); }),
      x * 1.5);
}
Vector switched(const Vector& x) {
  return map(x, [&](double v) {
    v *= 1.5;
    return position(x) == 2 ? std::sin(v) : v * v * v;
  });
}

/// y with y^3 + y = x, elementwise, by steps that are not differentiated.
Array root(const Array& x) {
  const auto newton = [](auto f, Array y) {
    return lax::while_loop([&](Array v) { return numpy::max(numpy::abs(f(v))) > 1e-13; },
                           [&](Array v) { return v - f(v) / (3.0 * v * v + 1.0); }, y);
  };
  return lax::custom_root([x](Array y) { return y * y * y + y - x; }, numpy::zeros_like(x), newton,
                          [](auto g, Array c) { return c / g(numpy::ones_like(c)); });
}
Vector root(const Vector& x) {
  return map(x, [](double v) {
    double y = 0;
    for (int i = 0; i < 50; ++i) y -= (y * y * y + y - v) / (3 * y * y + 1);
    return y;
  });
}

/// Solves (6 + x_i) v_i + sum_j x_j v_j = x_i for v, in a fixed number of steps.
Array linear_solve(const Array& x) {
  const auto matvec = [x](Array v) { return (6.0 + x) * v + numpy::sum(x * v); };
  const auto vecmat = [x](Array v) { return (6.0 + x) * v + x * numpy::sum(v); };
  const auto steps = [x](const auto& multiply, const Array& b) {
    return lax::fori_loop(0, 60, [&](Array, Array v) { return v + (b - multiply(v)) / 8.0; }, b * 0.1);
  };
  return lax::custom_linear_solve(
      matvec, x, [=](auto, Array b) { return steps(matvec, b); }, [=](auto, Array b) { return steps(vecmat, b); });
}
Vector linear_solve(const Vector& x) {
  // v_i = (x_i - s) / (6 + x_i) with s = sum x_j v_j
  double a = 0, b = 0;
  for (double v : x) a += v * v / (6 + v), b += v / (6 + v);
  const double s = a / (1 + b);
  return map(x, [&](double v) { return (v - s) / (6 + v); });
}

Array associative(const Array& x) {
  const auto running = [](Array v) { return lax::associative_scan([](Array a, Array b) { return a * b; }, v); };
  return running(x + 1.0) + lax::map([&](Array v) { return numpy::sin(v) * x[1]; }, x, {.batch_size = 2});
}
Vector associative(const Vector& x) {
  Vector y;
  double product = 1;
  for (double v : x) y.push_back((product *= v + 1) + std::sin(v) * x[1]);
  return y;
}

Array unrolled(const Array& x) {
  return lax::scan([](Array c, Array xi) { return std::pair(numpy::sin(c + xi), c * xi); }, x[0] * x[2], x,
                   {.reverse = true, .unroll = 2})
      .second;
}
Vector unrolled(const Vector& x) {
  Vector y(3);
  double c = x[0] * x[2];
  for (size_t i = 3; i-- > 0;) {
    y[i] = c * x[i];
    c = std::sin(c + x[i]);
  }
  return y;
}

const Row kRows[] = {
    {"elementwise", elementwise, elementwise},
    {"softmax", softmax, softmax},
    {"gather", gather, gather},
    {"scatter", scatter, scatter},
    {"sort", sort, sort},
    {"reduce", reduce, reduce},
    {"cond", cond, cond},
    {"while_loop", while_loop, while_loop, false},
    {"fori_loop", fori_loop, fori_loop},
    {"scan", scan, scan},
    {"scan_in_cond", scan_in_cond, scan_in_cond},
    {"jit_inside", jit_inside, jit_inside},
    {"custom_rule", custom_rule, custom_rule},
    {"checkpointed", checkpointed, checkpointed},
    {"switched", switched, switched},
    {"root", root, root},
    {"linear_solve", linear_solve, linear_solve},
    {"associative", associative, associative},
    {"unrolled", unrolled, unrolled},
};

// ---- transformations ------------------------------------------------------------------------------------------------

struct Transformation {
  const char* name;
  const char* means;  ///< The first transformation in the table with the same meaning.
  Function (*apply)(Function f);
  Meaning (*meaning)(Meaning f);
  bool reverse = false;
};

/// The tangent of forward mode and the cotangent of reverse mode.
Vector direction() { return {std::cos(1.0), std::cos(2.0), std::cos(3.0)}; }
double cotangent(size_t i) { return std::sin(static_cast<double>(i) + 2); }
Array cotangent_of(const Array& y) {
  Vector values;
  for (size_t i = 0; i < static_cast<size_t>(y.size()); ++i) values.push_back(cotangent(i));
  return Array::from_vector(values, {y.shape().begin(), y.shape().end()});
}
Array along() { return Array::from_vector(direction(), {kSize}); }

Function jitted(Function f) { return jit(std::move(f)); }
Function rematerialized(Function f) { return checkpoint(std::move(f)); }
Function mapped(Function f) {
  return [f](const Array& x) { return vmap(f)(numpy::stack({x, x * 0.5 + 0.1})); };
}
Function pushed(Function f) {
  return [f](const Array& x) { return jvp(f, std::tuple(x), std::tuple(along())).second; };
}
Function linearized(Function f) {
  return [f](const Array& x) { return linearize(f, x).second(along()); };
}
Function pulled(Function f) {
  return [f](const Array& x) {
    const auto [y, pull] = vjp(f, x);
    return std::get<0>(pull(cotangent_of(y)));
  };
}
Function gradient(Function f) {
  return grad([f](const Array& x) {
    const Array y = f(x);
    return numpy::sum(y * cotangent_of(y));
  });
}
Function forward_jacobian(Function f) { return jacfwd(std::move(f)); }
Function reverse_jacobian(Function f) { return jacrev(std::move(f)); }
Function partly_stopped(Function f) {
  return [f](const Array& x) { return f(x) + f(stop_gradient(x)) * 0.5; };
}

Meaning same(Meaning f) { return f; }
Meaning mapped(Meaning f) {
  return [f](const Vector& x, const Vector& frozen) {
    const auto other = [](double v) { return v * 0.5 + 0.1; };
    Vector all = f(x, frozen);
    const Vector second = f(map(x, other), map(frozen, other));
    all.insert(all.end(), second.begin(), second.end());
    return all;
  };
}

/// Seven points, sixth order: three nested differences still have eight correct digits.
Vector difference(const Meaning& f, const Vector& x, const Vector& frozen, const Vector& along) {
  constexpr double h = 1e-2;
  constexpr double kSteps[] = {-3, -2, -1, 1, 2, 3}, kWeights[] = {-1, 9, -45, 45, -9, 1};
  Vector total;
  for (size_t k = 0; k < 6; ++k) {
    Vector at = x;
    for (size_t i = 0; i < at.size(); ++i) at[i] += kSteps[k] * h * along[i];
    const Vector y = f(at, frozen);
    total.resize(y.size());
    for (size_t i = 0; i < y.size(); ++i) total[i] += kWeights[k] * y[i] / (60 * h);
  }
  return total;
}

Meaning pushed(Meaning f) {
  return [f](const Vector& x, const Vector& frozen) { return difference(f, x, frozen, direction()); };
}
Meaning forward_jacobian(Meaning f) {
  return [f](const Vector& x, const Vector& frozen) {
    Vector rows;
    for (size_t j = 0; j < x.size(); ++j) {
      Vector unit(x.size());
      unit[j] = 1;
      const Vector column = difference(f, x, frozen, unit);
      rows.resize(column.size() * x.size());
      for (size_t i = 0; i < column.size(); ++i) rows[i * x.size() + j] = column[i];
    }
    return rows;
  };
}
Meaning pulled(Meaning f) {
  return [jacobian = forward_jacobian(std::move(f))](const Vector& x, const Vector& frozen) {
    const Vector rows = jacobian(x, frozen);
    Vector total(x.size());
    for (size_t i = 0; i < rows.size(); ++i) total[i % x.size()] += cotangent(i / x.size()) * rows[i];
    return total;
  };
}
Meaning partly_stopped(Meaning f) {
  return [f](const Vector& x, const Vector& frozen) {
    Vector y = f(x, frozen);
    const Vector stopped = f(frozen, frozen);
    for (size_t i = 0; i < y.size(); ++i) y[i] += stopped[i] * 0.5;
    return y;
  };
}

const Transformation kTransformations[] = {
    {"jit", "", jitted, same},
    {"checkpoint", "", rematerialized, same},
    {"vmap", "vmap", mapped, mapped},
    {"jvp", "jvp", pushed, pushed},
    {"linearize", "jvp", linearized, pushed},
    {"vjp", "vjp", pulled, pulled, true},
    {"grad", "vjp", gradient, pulled, true},
    {"jacfwd", "jacfwd", forward_jacobian, forward_jacobian},
    {"jacrev", "jacfwd", reverse_jacobian, forward_jacobian, true},
    {"stop_gradient", "stop_gradient", partly_stopped, partly_stopped},
};

// ---- the matrix -----------------------------------------------------------------------------------------------------

/// A case, for example "grad(vmap(jit(scan)))".
struct Case {
  std::string name;
  std::string means;  ///< "vjp vmap scan": equal for cases of equal meaning
  Function f;
  Meaning meaning;
  bool refused = false;
};

Case case_of(const Row& row) {
  return {row.name, row.name, row.f, [f = row.meaning](const Vector& x, const Vector&) { return f(x); }};
}

Case apply(const Transformation& t, const Case& inner, const Row& row) {
  return {std::string(t.name) + "(" + inner.name + ")", *t.means == 0 ? inner.means : t.means + (" " + inner.means),
          t.apply(inner.f), t.meaning(inner.meaning), inner.refused || (t.reverse && !row.reverses)};
}

void check_refusal(const Case& c) {
  try {
    c.f(Array::from_vector(kPoint, {kSize}));
    ADD_FAILURE() << c.name << " was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kInvalidArgument) << c.name;
    EXPECT_NE(std::string(error.what()).find("Reverse-mode differentiation does not work for lax.while_loop"),
              std::string::npos)
        << c.name << ": " << error.what();
  }
}

const Vector& wanted_of(const Case& c) {
  static auto* known = new std::map<std::string, Vector>;
  const auto it = known->find(c.means);
  return it != known->end() ? it->second : known->emplace(c.means, c.meaning(kPoint, kPoint)).first->second;
}

void check(const Case& c) {
  if (c.refused) return check_refusal(c);
  const Vector& wanted = wanted_of(c);
  Vector got;
  try {
    got = c.f(Array::from_vector(kPoint, {kSize})).to_vector<double>();
  } catch (const Error& error) {
    ADD_FAILURE() << c.name << ": " << error.what();
    return;
  }
  ASSERT_EQ(got.size(), wanted.size()) << c.name;
  double scale = 1;
  for (double w : wanted) scale = std::max(scale, std::abs(w));
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::abs(got[i] - wanted[i]) <= 1e-5 * scale) continue;
    ADD_FAILURE() << c.name << ": element " << i << " is " << got[i] << ", wanted " << wanted[i];
    return;
  }
}

class Matrix : public testing::TestWithParam<Row> {
 protected:
  /// Selects another platform and drops the client of the previous one.
  void run_on(std::string_view platform) {
    if (platform == platform_) return;
    ASSERT_TRUE(config().update("jax_platform_name", std::string(platform)).ok());
    clear_backends();
    platform_ = platform;
  }
  void SetUp() override { ASSERT_TRUE(config().update("jax_enable_x64", true).ok()); }
  void TearDown() override {
    ASSERT_TRUE(config().update("jax_enable_x64", false).ok());
    run_on("");
  }

 private:
  std::string platform_;
};

TEST_P(Matrix, EveryPairMeansWhatItSays) {
  check(case_of(GetParam()));
  for (const Transformation& inner : kTransformations) {
    const Case one = apply(inner, case_of(GetParam()), GetParam());
    check(one);
    for (const Transformation& outer : kTransformations) check(apply(outer, one, GetParam()));
  }
}

/// Runs on the reference engine, because this tests the front end. The pairs cover grad, which is vjp of a sum.
TEST_P(Matrix, EveryTripleMeansWhatItSays) {
  run_on("Reference");
  std::vector<Transformation> used(std::begin(kTransformations), std::end(kTransformations));
  std::erase_if(used, [](const Transformation& t) { return t.apply == gradient; });
  for (const Transformation& first : used) {
    const Case one = apply(first, case_of(GetParam()), GetParam());
    for (const Transformation& second : used) {
      const Case two = apply(second, one, GetParam());
      for (const Transformation& third : used) check(apply(third, two, GetParam()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, Matrix, testing::ValuesIn(kRows),
                         [](const testing::TestParamInfo<Row>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hilo
