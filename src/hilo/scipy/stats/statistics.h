// SPDX-License-Identifier: Apache-2.0
// scipy/stats/statistics.h -- statistics of samples, and kernel density estimation.
#pragma once

#include <functional>

#include "hilo/random/random.h"

namespace hilo::scipy::stats {

struct ModeOptions {
  std::optional<int64_t> axis = 0;  ///< nullopt for the flattened array
  const char* nan_policy = "propagate";
  bool keepdims = false;
};
struct ModeResult {
  Array mode, count;
};
/// Returns the most frequent value (the least, if there are several) and its count.
/// Errors     UNIMPLEMENTED for a nan_policy other than "propagate"
/// Example    mode(numpy::array({1, 2, 2, 3})).mode  // 2
ModeResult mode(const Operand& a, const ModeOptions& options = {});

struct RankOptions {
  const char* method = "average";  ///< rank of ties: "average", "min", "max", "dense" or "ordinal"
  std::optional<int64_t> axis = std::nullopt;
  const char* nan_policy = "propagate";
};
/// Returns the ranks of elements, from 1. A NaN makes all ranks NaN.
/// Example    rankdata(numpy::array({10, 30, 20, 20}))  // [1. 4. 2.5 2.5]
Array rankdata(const Operand& a, const RankOptions& options = {});

struct SemOptions {
  std::optional<int64_t> axis = 0;
  double ddof = 1;
  const char* nan_policy = "propagate";  ///< "propagate" or "omit"
  bool keepdims = false;
};
/// Returns the standard error of the mean.
Array sem(const Operand& a, const SemOptions& options = {});

/// A kernel density estimate: a mixture of normal distributions around the points of a sample [d, n] or [n].
/// Source    Scott, "Multivariate density estimation" (1992); Silverman, "Density estimation" (1986)
/// Errors    INVALID_ARGUMENT for other shapes and unknown methods
class gaussian_kde {
 public:
  /// The bandwidth: "scott", "silverman", or a factor.
  class Bandwidth {
   public:
    Bandwidth(const char* method) : method_(method) {}  // implicit: both convert
    Bandwidth(std::string method) : method_(std::move(method)) {}
    template <Number T>
    Bandwidth(T factor) : factor_(static_cast<double>(factor)) {}
    const std::string& method() const { return method_; }  ///< empty for a factor
    double factor() const { return factor_; }

   private:
    std::string method_;
    double factor_ = 0;
  };
  struct Options {
    Bandwidth bw_method = "scott";
    std::optional<Array> weights = std::nullopt;
  };
  explicit gaussian_kde(const Operand& dataset, const Options& options);
  explicit gaussian_kde(const Operand& dataset) : gaussian_kde(dataset, Options{}) {}
  gaussian_kde(const Operand& dataset, const char* bw_method)
      : gaussian_kde(dataset, Options{.bw_method = bw_method}) {}

  Array dataset, weights, neff, covariance, inv_cov;
  int64_t d() const { return dataset.shape(0); }
  int64_t n() const { return dataset.shape(1); }

  Array evaluate(const Operand& points) const;
  Array operator()(const Operand& points) const { return evaluate(points); }
  Array pdf(const Operand& x) const { return evaluate(x); }
  Array logpdf(const Operand& x) const;
  Array integrate_gaussian(const Operand& mean, const Operand& cov) const;
  Array integrate_box_1d(const Operand& low, const Operand& high) const;
  Array integrate_kde(const gaussian_kde& other) const;
  /// Samples from the estimate.
  /// Shapes    [d], or [d, reversed shape...] for a `shape`
  Array resample(const random::Key& key, const numpy::Shape& shape = {}) const;

 private:
  Array log_kernels(const Array& points) const;
  Array convolved(const Array& factor, const Array& means) const;
};

}  // namespace hilo::scipy::stats
