// SPDX-License-Identifier: Apache-2.0
// examples/kmeans_pca.cc -- handwritten digits without their names: principal components and clusters: `kmeans_pca
// [report.html]`. Source    Lloyd (1957/1982) with the seeding of Arthur and Vassilvitskii, "k-means++" (2007); Pearson
// (1901)
#include <algorithm>

#include "examples/support/digits.h"
#include "examples/support/page.h"

using namespace hilo;

constexpr int64_t kClusters = 10;

Array square_distances(const Array& x, const Array& centres) {
  return numpy::sum(numpy::square(numpy::expand_dims(x, 1) - numpy::expand_dims(centres, 0)), 2);
}

// Centres far from each other: each next one is drawn by its distance from those before.
Array seeds(const random::Key& key, const Array& x) {
  const auto step = [&](const Array& i, const Array& centres) {
    const Array taken = numpy::arange(kClusters) < i;
    const Array nearest = numpy::min(numpy::where(taken, square_distances(x, centres), 1e9f), 1);
    const Array chosen = random::categorical(random::fold_in(key, i), numpy::log(nearest + 1e-12f));
    return numpy::at(centres, i).set(x[chosen]);
  };
  return lax::fori_loop(0, kClusters, step, numpy::zeros({kClusters, x.shape(1)}));
}

struct Clusters {
  Array centres, members;  // members: s32[n]
  Array cost;              // mean square distance
};

Clusters assign(const Array& x, const Array& centres) {
  const Array distances = square_distances(x, centres);
  return {centres, numpy::argmin(distances, 1), numpy::mean(numpy::min(distances, 1))};
}

Clusters k_means(const random::Key& key, const Array& x) {
  const auto step = [&](const Array&, const Array& centres) {
    const Array one_hot = nn::one_hot(assign(x, centres).members, kClusters);
    const Array counts = numpy::sum(one_hot, 0);
    const Array means = numpy::matmul(numpy::transpose(one_hot), x) / numpy::expand_dims(numpy::maximum(counts, 1), 1);
    return numpy::where(numpy::expand_dims(counts, 1) > 0, means, centres);
  };
  return assign(x, lax::fori_loop(0, 30, step, seeds(key, x)));
}

int main(int argc, char** argv) {
  const examples::Digits digits = examples::load_digits(random::key(0));
  const Array& x = digits.images;

  // The directions in which the digits differ most.
  const Array centred = x - numpy::mean(x, 0);
  const auto [u, s, vt] = linalg::svd(centred, {.full_matrices = false});
  const Array share = numpy::square(s) / numpy::sum(numpy::square(s));
  const Array plane = numpy::matmul(centred, numpy::transpose(vt[range(0, 2)]));
  const double ten = numpy::sum(share[range(0, 10)]).item<double>();
  const Array rebuilt = numpy::matmul(numpy::matmul(centred, numpy::transpose(vt[range(0, 10)])), vt[range(0, 10)]);
  const double lost =
      (numpy::sum(numpy::square(centred - rebuilt)) / numpy::sum(numpy::square(centred))).item<double>();

  // Twelve runs at once; the best is used.
  const Clusters tries =
      jit(vmap([&](const random::Key& key) { return k_means(key, x); }))(random::split(random::key(1), 12));
  const Array best = numpy::argmin(tries.cost);
  const std::vector<int> members = tries.members[best].to_vector<int>(), labels = digits.labels.to_vector<int>();

  // A cluster is named by the digit that it holds most of.
  std::array<std::array<int, 10>, kClusters> counts = {};
  for (size_t i = 0; i < labels.size(); ++i) ++counts[static_cast<size_t>(members[i])][static_cast<size_t>(labels[i])];
  int named = 0;
  for (const auto& row : counts) named += *std::ranges::max_element(row);
  const double purity = named / static_cast<double>(labels.size());

  examples::Page page("Digits without their names");
  page.picture("the ten clusters' centres", examples::mosaic(tries.centres[best], 10), 0, 1, 6);
  page.picture(
      "the mean and nine principal components",
      examples::mosaic(
          0.5f + numpy::concatenate({numpy::mean(x, {.axis = 0, .keepdims = true}) - 0.5f, vt[range(0, 9)]}, 0), 10),
      0, 1, 6);
  std::vector<examples::Series> series;
  const std::vector<double> first = examples::numbers(plane(all, 0)), second = examples::numbers(plane(all, 1));
  for (int digit = 0; digit < 6; ++digit) {
    examples::Series dots = {std::to_string(digit), {}, {}, true};
    for (size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == digit) dots.x.push_back(first[i]), dots.y.push_back(second[i]);
    }
    series.push_back(dots);
  }
  page.chart("0 to 5 along the first two components", series);
  page.chart("share of the variance", {examples::curve("one component", examples::numbers(share)),
                                       examples::curve("all up to it", examples::numbers(numpy::cumsum(share)))});
  std::printf("ten components hold %.4f of the variance; clusters of cost %.4f name %.3f of the digits\n", ten,
              tries.cost[best].item<double>(), purity);
  // What ten components leave out is what the others hold.
  const bool right = std::abs(ten + lost - 1) < 1e-3 && ten > 0.7 && purity > 0.7;
  return examples::finish(page, argc, argv, "k-means and PCA", right);
}
